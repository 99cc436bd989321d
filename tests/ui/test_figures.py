"""Trials added up: bars, bins, summaries."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.analysis.reasons import Unscored
from studio.engine.analysis.summary import summarise
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    MetricSpec,
    Score,
)
from studio.ui.models.figures import Bar, Figures, bins
from studio.ui.models.measures import Measure, measures
from studio.ui.models.totals import Totals
from tests.ui import builders

MEASURES = measures(builders.METRICS)
TOOL_CALLS = MEASURES[0]
REASON = "the trial ran out of time"


def test_a_bar_is_the_mean_of_the_trials_of_a_query_with_its_counts():
    figures = Figures(1, trials=3)
    good, bad = builders.trial(0), builders.trial(0, number=2)
    figures.update([good, replace(bad, scores=(Score(TOOL_CALLS.key, "1", 0.5),))])
    assert figures.score(0, TOOL_CALLS) == Bar(0.75, 2, 2, 3)


def test_pending_and_not_scored_are_told_apart_from_zero():
    figures = Figures(8)
    assert figures.score(6, TOOL_CALLS).is_pending
    figures.update([builders.trial(6), builders.trial(7)])
    assert figures.score(6, TOOL_CALLS) == Bar(0.0, 1, 1, 1)
    assert figures.score(7, TOOL_CALLS) == Bar(None, 0, 1, 1, REASON)
    assert not figures.score(7, TOOL_CALLS).is_pending


def test_a_newer_row_takes_the_place_of_the_older_one():
    figures = Figures(1)
    figures.update([replace(builders.trial(0), seconds=9.0, outcome=Outcome.INTERRUPTED)])
    figures.update([builders.running(0)])
    assert figures.seconds == []
    figures.update([builders.trial(0)])
    assert figures.seconds == [4.4]
    assert figures.median_seconds == 4.4


@pytest.mark.parametrize("failure", FailureClass)
def test_only_trials_that_tell_of_the_agent_tell_how_long_it_takes_and_in_how_many_steps(
    failure: FailureClass,
):
    figures = Figures(1)
    lost = replace(builders.trial(0), outcome=Outcome.FAILED, failure=failure, seconds=0.009)
    figures.update([lost])
    assert figures.seconds == ([0.009] if failure.is_agents_own else [])
    assert (figures.steps(0).value is not None) == failure.is_agents_own
    figures.update([builders.trial(0)])
    assert figures.steps(0).value is not None
    assert figures.seconds == [4.4]


def test_a_trial_outside_the_plan_is_left_out():
    figures = Figures(2)
    figures.update([builders.trial(5)])
    assert figures.seconds == []


@given(st.lists(st.floats(0, 5_000), min_size=1, max_size=80))
def test_every_value_is_in_one_bin_and_there_are_few_bins(values: list[float]):
    found = bins(sorted(values))
    assert sum(found.counts) == len(values)
    assert len(found.counts) <= 14
    edges = [found.low + place * found.width for place in range(len(found.counts) + 1)]
    for (low, high), count in zip(pairwise(edges), found.counts, strict=True):
        slack = 1e-9 * max(1.0, high)
        inside = sum(low - slack <= value <= high + slack for value in values)
        assert count <= inside


def test_no_value_has_no_bins():
    assert bins([]).counts == ()


def test_totals_are_the_same_however_rows_come_and_come_again():
    rows = [builders.trial(place) for place in range(20)]
    totals = Totals(MEASURES, 20)
    luck = random.Random(1)
    for _ in range(3):
        luck.shuffle(rows)
        totals.update([builders.running(row.position) for row in rows[:4]])
        totals.update(rows)
    for measure, summary, unscored in totals.summaries():
        assert not unscored  # two ran out of time, which is told elsewhere
        values = [
            next(score.value for score in row.scores if score.metric == measure.key)
            for row in sorted(rows, key=lambda row: row.position)
        ]
        wanted = summarise(values, 20, measure.scale, groups=range(20))
        assert (summary.scored, summary.planned) == (wanted.scored, wanted.planned) == (18, 20)
        assert summary.value is not None
        assert wanted.value is not None
        assert abs(summary.value - wanted.value) < 1e-9


def test_why_nothing_was_scored_is_taken_back_where_trials_are_judged_again():
    measure = Measure("m", "M")
    rows = [
        replace(builders.trial(place), scores=(Score("m", "1", None, reason),))
        for place, reason in enumerate(("no answer\n  line 3", "no price", "no answer"))
    ]
    lost = replace(builders.trial(3), failure=FailureClass.SERVER, scores=rows[0].scores)
    totals = Totals((measure,), 4)
    totals.update([*rows, lost])
    [total] = totals.summaries()
    assert total.unscored == (Unscored("no answer", 2), Unscored("no price", 1))
    totals.update([replace(row, scores=(Score("m", "1", 1.0),)) for row in rows[::2]])
    [total] = totals.summaries()
    assert total.unscored == (Unscored("no price", 1),)


def test_a_metric_that_this_version_does_not_know_keeps_its_name():
    assert measures([MetricSpec("of the future")]) == (
        Measure(
            "of the future",
            "of the future",
            about="This version of the studio does not know this metric.",
        ),
    )
