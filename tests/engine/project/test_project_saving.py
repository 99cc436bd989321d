"""Saving a part of a project: what was not edited stays byte for byte as it was."""

import os
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.engine.errors import ProjectError, StudioError
from studio.engine.project import (
    delete_prompt,
    delete_query,
    load,
    save_prompt,
    save_query,
    save_tool,
)
from studio.engine.records import Expected, ExpectedCall, Query, ToolSpec

from .conftest import QUERIES, write_project
