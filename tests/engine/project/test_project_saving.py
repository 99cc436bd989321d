"""Saving a part of a project: what was not edited stays byte for byte as it was."""
