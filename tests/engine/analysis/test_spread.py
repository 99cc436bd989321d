"""How far figures of the same kind lie apart."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.spread import Spread, rounds, spread
from tests.engine.analysis.made_trials import RULES, run

# AgentArch, table 2, time off, over the 18 configurations.
GPT_4_1 = [
    36.9, 31.9, 58.8, 54.4, 51.9, 52.7, 28.7, 25.8, 58.8, 54.6, 54.6, 51.5, 34.4, 36.7, 68.1,
    49.6, 70.8, 48.5,
]  # fmt: skip


def test_the_consistency_of_a_model_over_the_configurations_of_agentarch():
    found = spread(GPT_4_1)
    assert found.mean == pytest.approx(48.26, abs=0.005)
    assert found.deviation == pytest.approx(13.05, abs=0.005)
    assert found.variation == pytest.approx(0.270, abs=0.0005)


def test_one_value_has_no_deviation_and_no_value_no_mean():
    assert spread([0.5]) == Spread(1, 0.5)
    assert spread([]) == Spread(0)
    assert spread([]).variation is None


def test_a_mean_of_nothing_has_no_share_of_itself():
    assert spread([0.0, 0.0]).variation is None


def test_rounds_are_the_trials_of_one_number():
    # Of the first trials two of two pass, of the second one of two, of the third the only one.
    assert rounds(run("++x", "+-+"), RULES) == spread([1.0, 0.5, 1.0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_it_is_the_deviation_of_a_sample(values):
    assert spread(values).deviation == pytest.approx(statistics.stdev(values), abs=1e-6)
    assert math.isfinite(spread(values).mean)
