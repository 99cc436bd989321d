"""The example of each metric, as the help page prints it, is a case that the metric grades."""

import msgspec
import pytest

from studio.engine.grading import grade
from studio.engine.metrics import CATALOGUE
from studio.engine.metrics.help import example


# The example of a project's own metric needs a project: see `own/test_code.py`.
@pytest.mark.parametrize("name", [name for name in CATALOGUE if name != "own"])
def test_the_example_of_a_metric_is_scored(name):
    verdict = grade(CATALOGUE[name](), msgspec.json.decode(example(name)))
    assert verdict.value is not None, verdict.reason
