"""The failures of a run as they are drawn: as the engine counts them, however they come."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.analysis.pareto import failure_map
from studio.engine.outcomes import FailureMode
from studio.engine.records import (
    Criteria,
    Finding,
)
from studio.engine.store.rows import TrialRow
from studio.ui.models.failure_modes import UNEXPLAINED, FailureModes
from studio.ui.models.measures import measures, rules_of
from studio.ui.models.verdicts import Verdict, not_passed, rules_text
from tests.ui import builders, failing

RULES = rules_of(Criteria(builders.METRICS))
FINDINGS = st.lists(st.sampled_from(FailureMode), max_size=3).map(
    lambda modes: tuple(Finding(mode, "why") for mode in modes)
)


@st.composite
def trials(draw) -> list[TrialRow]:
    count = draw(st.integers(0, 16))
    rows = []
    for place in range(count):
        row = builders.trial(place)
        findings = draw(FINDINGS)
        # What passed has no finding, and what was not the agent's doing no other one.
        is_open = row.is_excused or all(score.value in (1.0, None) for score in row.scores[:3])
        rows.append(row if is_open else replace(row, findings=findings))
    return rows


def counted(modes: FailureModes, *, every: bool = False) -> dict[str, int]:
    return {bar.name: bar.trials for bar in modes.bars(counts_every=every)}


@given(trials())
def test_the_bars_are_those_of_the_failure_map(rows: list[TrialRow]):
    modes = FailureModes(RULES)
    modes.update(rows)
    wanted = failure_map(rows, RULES)
    bars = [bar for bar in modes.bars() if bar.name != UNEXPLAINED]
    assert [(bar.name, bar.trials, bar.share, bar.cumulative) for bar in bars] == [
        (bucket.mode, bucket.count, bucket.share, bucket.cumulative) for bucket in wanted.buckets
    ]
    every = counted(modes, every=True)
    assert {bucket.mode: bucket.count + bucket.also for bucket in wanted.buckets} == {
        bucket.mode: every[bucket.mode] for bucket in wanted.buckets
    }
    assert counted(modes).get(UNEXPLAINED, 0) == len(wanted.unexplained)
    assert modes.count(Verdict.NOT_PASSED) == wanted.failed
    assert modes.count(Verdict.EXCUSED) == len(wanted.apart)


def test_a_trial_that_is_judged_anew_leaves_the_bar_where_it_stood():
    rows = [failing.trial(place) for place in range(8)]
    modes, luck = FailureModes(RULES), random.Random(2)
    for _ in range(4):
        luck.shuffle(rows)
        modes.update(rows)
        modes.update(builders.running(row.position) for row in rows[:3])
    modes.update(rows)
    assert counted(modes) == {"loop": 2, "wrong tool": 1, UNEXPLAINED: 1}
    assert counted(modes, every=True)["wrong answer"] == 2
    modes.update([failing.passing(0)])
    assert counted(modes) == {"loop": 1, "wrong tool": 1, UNEXPLAINED: 1}


def test_what_nothing_explains_comes_last_and_the_shares_add_up_to_all():
    modes = FailureModes(RULES)
    modes.update(failing.trial(place) for place in (3, 5, 5 + 8, 6))
    bars = modes.bars()
    assert [bar.name for bar in bars][-1] == UNEXPLAINED
    assert bars[-1].trials == 2
    assert bars[-1].cumulative == 1
    assert Counter(bar.name for bar in bars).most_common(1)[0][1] == 1


def test_the_headline_never_lacks_its_count():
    assert not_passed(12, 20) == "12 of 20 trials did not pass"
    assert not_passed(1, 1) == "The trial did not pass"
    assert not_passed(0, 20) == "All of 20 trials passed"
    assert not_passed(0, 1) == "The trial passed"
    assert not_passed(0, 0) == "No trial was judged yet"
    assert not_passed(0, 0, undecided=7) == "No score tells whether trials passed"


def test_the_rule_is_told_in_one_line():
    shown = measures(builders.METRICS)
    assert rules_text(RULES, shown) == (
        "A trial passes with at least 1 in Tool-call accuracy, RAGAS ToolCallAccuracy and "
        "Answer contains."
    )
    assert rules_text((), shown).startswith("No metric of this run tells whether a trial passed")
