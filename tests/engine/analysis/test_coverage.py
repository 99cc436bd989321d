"""An interval of 95 % holds the true mean about as often as it says, also of lopsided shares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.summary import SHARE, Scale, summarise
from tests.bench.coverage import SHAPES, coverage

RUNS = 200
LEAST = 0.9
"""What so many runs may show of an interval that holds in 95 of 100: three standard errors less."""


@pytest.mark.parametrize("queries", [7, 15, 50])
@pytest.mark.parametrize("name", SHAPES)
def test_the_interval_of_a_share_holds_the_mean_as_often_as_it_says(name: str, queries: int):
    held, width = coverage(SHAPES[name], queries, RUNS)
    assert held >= LEAST
    assert width < 2 / queries**0.5, "no wider than what verdicts of yes and no may need"


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=2, max_size=30),
    st.sampled_from([SHARE, Scale(-1.0, 1.0), Scale(2.0, 10.0)]),
)
def test_the_interval_of_a_share_lies_about_the_mean_within_its_range(groups, scale):
    low, high = scale.lowest, scale.highest
    values = [low + value * (high - low) for group in groups for value in group]
    names = [place for place, group in enumerate(groups) for _ in group]
    found = summarise(values, None, scale, groups=names)
    assert low <= found.low <= found.mean <= found.high <= high
    if len(groups) > 6:
        assert found.high > found.low, "a sample never tells for certain"
