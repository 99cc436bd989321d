"""The help page of figures explains every figure and every bucket."""

import re

import pytest

from studio.engine.analysis.reliability import reliability
from studio.engine.outcomes import FailureMode
from studio.resources import resource
from tests.engine.analysis.made_trials import RULES, run

PAGE = resource("help/figures.md").read_text("utf-8")


@pytest.mark.parametrize("mode", list(FailureMode))
def test_every_bucket_has_its_rule(mode):
    assert re.search(rf"^{re.escape(mode.value)}  +\S", PAGE, re.MULTILINE)


def test_the_example_is_right():
    found = reliability(run(*("+" * c + "-" * (8 - c) for c in (8, 7, 6, 4, 2))), RULES)
    for name, estimates in (
        ("pass@k", found.pass_at),
        ("pass^k", found.pass_all),
        ("pooled", found.pooled),
    ):
        values = {each.k: each.value for each in estimates}
        line = "  ".join(f"{values[k]:.3f}" for k in (1, 2, 4, 8))
        assert re.search(rf"^ +{re.escape(name)} +{re.escape(line)}$", PAGE, re.MULTILINE)


def test_its_lines_fit_a_terminal_of_80_columns():
    assert max(map(len, PAGE.splitlines())) <= 80
