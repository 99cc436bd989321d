"""Measurements, as ratios inside one run on one machine.  They print; they assert nothing."""
