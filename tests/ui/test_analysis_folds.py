"""What the analysis page adds up as trials come in is what the engine finds in all of them."""

import random
from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.analysis.benchmark_figures import benchmark_figures
from studio.engine.analysis.calibration import calibration, claimed_success, told_in
from studio.engine.analysis.flips import between_runs
from studio.engine.analysis.reliability import reliability
from studio.engine.metrics import build
from studio.engine.records import MetricSpec, Score
from studio.engine.store.rows import TrialRow
from studio.ui.models.benchmarks import Benchmarks
from studio.ui.models.flips import CELLS, Against
from studio.ui.models.repeats import Repeats
from studio.ui.models.said import Said
from tests.engine.analysis.made_trials import RULES, run

RUNS = st.lists(st.text("+-?x", min_size=1, max_size=4), max_size=6)


def tell(rows: Sequence[TrialRow], take: Callable[[list[TrialRow]], object], seed: int) -> None:
    """Tell the rows in small batches in any order, each first while it runs, some twice."""
    luck = random.Random(seed)
    told = [replace(row, outcome=None, failure=None, scores=()) for row in rows]
    luck.shuffle(told)
    last = [*rows, *luck.sample(list(rows), len(rows) // 2)]
    luck.shuffle(last)
    told += last
    while told:
        size = luck.randint(1, 5)
        take(told[:size])
        del told[:size]


@given(RUNS, st.integers(0, 5))
def test_repeats_are_those_of_the_whole_run(signs: list[str], seed: int):
    rows, repeats = run(*signs), Repeats(RULES, len(signs))
    tell(rows, repeats.update, seed)
    assert repeats.reliability() == reliability(rows, RULES, len(signs))
    assert repeats.ended == len(rows)


@given(RUNS, RUNS, st.integers(0, 5))
def test_flips_are_those_of_the_whole_runs(ours: list[str], theirs: list[str], seed: int):
    now, then = run(*ours), run(*theirs, first_id=500)
    repeats = Repeats(RULES, len(ours))
    against = Against(RULES, repeats)

    def take_ours(rows: list[TrialRow]) -> None:
        repeats.update(rows)
        against.follow_ours(rows)

    half = len(now) // 2
    tell(now[:half], take_ours, seed)
    tell(then, against.take_theirs, seed)
    tell(now[half:], take_ours, seed)
    found = between_runs(then, now, RULES)
    assert [against.count(cell) for cell in CELLS] == [len(getattr(found, each)) for each in CELLS]
    for name in ("undecided", "changed", "better", "worse", "unpaired"):
        assert against.count(name) == getattr(found, name), name
    assert against.queries_in("fail_pass") == {pair.query_id for pair in found.fail_pass}


@given(st.lists(st.tuples(st.sampled_from("+-?x"), st.floats(0, 1) | st.none()), max_size=12),
       st.integers(0, 5))  # fmt: skip
def test_what_trials_say_of_themselves_is_counted_as_in_the_whole_run(
    made: list[tuple[str, float | None]], seed: int
):
    rows = [
        replace(row, scores=(*row.scores, *_said(said)))
        for row, (_, said) in zip(run(*(sign for sign, _ in made)), made, strict=True)
    ]
    said = Said(RULES, "sure", "done", 40, 40)
    tell(rows, said.update, seed)
    found = said.calibration()
    wanted = calibration(told_in(rows, "sure", RULES), planned=40)
    assert found is not None
    assert (found.paired, found.planned) == (wanted.paired, 40)
    assert [each.accuracy.scored for each in found.bins] == [
        each.accuracy.scored for each in wanted.bins
    ]
    if wanted.error is not None and wanted.brier is not None:
        assert found.error is not None
        assert found.brier is not None
        assert abs(found.error - wanted.error) + abs(found.brier - wanted.brier) < 1e-9
    claims = said.claims()
    assert claims is not None
    assert claims.claimed == claimed_success(told_in(rows, "done", RULES)).claimed


def _said(sure: float | None) -> tuple[Score, Score]:
    done = None if sure is None else float(sure > 0.5)
    return Score("sure", "1", sure), Score("done", "1", done)


@given(st.lists(st.sampled_from(["correct", "incorrect", "not attempted"]), max_size=12))
def test_figures_of_benchmarks_are_those_of_all_verdicts(grades: list[str]):
    (metric,) = build((MetricSpec("simpleqa_grade"),))
    rows = [
        replace(row, scores=(Score(metric.key, "1", 1.0, "", {"grade": grade}),))
        for row, grade in zip(run(*("+" for _ in grades)), grades, strict=True)
    ]
    benchmarks = Benchmarks((metric,))
    tell(rows, benchmarks.update, 3)
    wrong = [replace(row, scores=(replace(row.scores[0], evidence={"grade": "incorrect"}),))
             for row in rows[:2]]  # fmt: skip
    benchmarks.update(wrong)
    benchmarks.update(rows)
    wanted = benchmark_figures(metric, [{"grade": grade} for grade in grades])
    assert [each.name for each in benchmarks.lines()] == [each.name for each in wanted]
    assert [each.counts.split()[-1] for each in benchmarks.lines()] == [str(f.of) for f in wanted]
