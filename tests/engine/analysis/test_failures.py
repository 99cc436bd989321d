"""Trials without an answer, counted by class; means with and without the excused ones."""

import pytest
from msgspec.structs import replace

from studio.engine.analysis.failures import excused, failures, in_words
from studio.engine.analysis.summary import AMOUNT, SHARE, VERDICT, Running, Scale
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.store.rows import TrialRow

ROW = TrialRow(1, 1, "q", "?", 1, 0, 1, 0.0, Outcome.FAILED)


def rows(*classes: FailureClass | None) -> list[TrialRow]:
    return [replace(ROW, failure=each) for each in classes]


def test_every_class_is_the_agents_own_or_excused():
    own = {each for each in FailureClass if each.is_agents_own}
    assert own == {FailureClass.AGENT, FailureClass.MODEL_OUTPUT, FailureClass.STEP_CAP}
    assert [row.is_excused for row in rows(FailureClass.TOOL, FailureClass.AGENT, None)] == [
        True, False, False,
    ]  # fmt: skip


def test_failures_are_counted_by_class_and_told_in_words():
    counts = failures(
        rows(FailureClass.SERVER, None, FailureClass.AGENT, FailureClass.SERVER,
             FailureClass.TRUNCATED)
    )  # fmt: skip
    assert in_words(counts) == "1 agent, 1 truncated, 2 server"
    assert in_words(excused(counts)) == "1 truncated, 2 server"
    assert in_words(failures(rows(None))) == ""


def summary(scale: Scale, values: list[float | None], excused: int):
    running = Running(scale)
    for value in values:
        running.add(value)
    for _ in range(excused):
        running.add(None, is_excused=True)
    return running.summary(20)


@pytest.mark.parametrize("scale", [SHARE, VERDICT, Scale(-1.0, 1.0)])
def test_a_mean_is_known_with_the_excused_at_the_lowest_value(scale):
    made = summary(scale, [1.0, 1.0, 0.0, None], 1)
    assert made.mean == pytest.approx(2 / 3)
    assert (made.scored, made.excused) == (3, 1)
    assert made.counted == pytest.approx((2 + scale.lowest) / 4)


def test_without_excused_trials_or_two_ends_there_is_nothing_to_count():
    assert summary(SHARE, [1.0, None], 0).counted is None
    assert summary(AMOUNT, [1.0], 2).counted is None
    assert summary(AMOUNT, [1.0], 2).excused == 2


def test_where_all_are_excused_there_is_no_mean_but_a_count():
    made = summary(SHARE, [], 3)
    assert (made.mean, made.counted, made.excused) == (None, 0.0, 3)
