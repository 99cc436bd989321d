"""The results of a run in a terminal: its trials, its figures, whose doing the failures were."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from studio.engine import metrics
from studio.engine.again import fitting_window, invalid
from studio.engine.analysis.failures import excused, failures, in_words
from studio.engine.analysis.noise import noise
from studio.engine.analysis.summary import Running, Summary
from studio.engine.records import Outcome
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow, TrialRow

_MOST_ROWS = 60
_MOST_REASONS = 3


def show_results(console: Console, folder: Path, run: int) -> None:
    with contextlib.closing(RunReader(runs_file(folder))) as reader:
        row = reader.run(run)
        if row is None:
            return  # the disk was full before anything of it was written
        trials = sorted(reader.trials(run), key=_by_place)
        planned = row.tally.planned
        wanted = metrics.build(row.criteria.metrics)
        cut = invalid(trials)
        again = fitting_window(reader, row, cut) if cut else None
        before = list(reader.trials(row.plan.repeats)) if row.plan.repeats else []
    if len(trials) <= _MOST_ROWS:
        console.print(_trial_table(trials, wanted))
    console.print(_summary_table(trials, wanted, planned))
    tally = row.tally
    parts = [f"{tally.done:,} done"]
    parts += [
        f"{number:,} {word}"
        for word, number in (
            ("failed", tally.failed), ("invalid", tally.invalid), ("skipped", tally.skipped),
            ("cancelled", tally.cancelled), ("not run", tally.left),
        )
        if number
    ]  # fmt: skip
    console.print(f"Run {run}: {', '.join(parts)} of {planned:,} planned.")
    _tell_failures(console, row, trials, again)
    if row.plan.repeats is not None:
        console.print(_noise_table(row, before, trials, wanted))


def _tell_failures(
    console: Console, row: RunRow, trials: Sequence[TrialRow], again: int | None
) -> None:
    """Whose doing it was that trials gave no answer, and how to run the invalid ones again."""
    counts = failures(trials)
    if not counts:
        return
    total = sum(counts.values())
    console.print(f"{total:,} gave no answer: {in_words(counts)}.", soft_wrap=True)
    if others := excused(counts):
        console.print(
            f"  of which not the agent's doing, and not scored: {in_words(others)}.", soft_wrap=True
        )
    reasons = dict.fromkeys(trial.reason for trial in trials if trial.is_excused and trial.reason)
    for reason in list(reasons)[:_MOST_REASONS]:
        console.print(f"  {reason}", markup=False, highlight=False, soft_wrap=True)
    if again is not None:
        console.print(f"Again with room for them: --continue {row.id} --num-ctx {again}")


def _noise_table(
    row: RunRow,
    before: Sequence[TrialRow],
    trials: Sequence[TrialRow],
    wanted: Sequence[metrics.Metric],
) -> Table:
    table = Table(
        f"Noise: run {row.plan.repeats} again, nothing changed",
        box=None, header_style="bold", pad_edge=False,
    )  # fmt: skip
    for heading in ("Then", "Now", "Apart", "Trials that differ"):
        table.add_column(heading, justify="right")
    for metric in wanted:
        found = noise(metric.key, before, trials)
        figures = (found.first, found.second, found.apart)
        table.add_row(
            escape(metric.label),
            *(_value(figure, metric) for figure in figures),
            f"{found.differing:,} of {found.paired:,}",
        )
    return table


def _by_place(row: TrialRow) -> tuple[int, int]:
    return (row.position, row.number)


def _trial_table(trials: Sequence[TrialRow], wanted: Sequence[metrics.Metric]) -> Table:
    table = Table("Query", "Outcome", box=None, header_style="bold", pad_edge=False)
    for metric in wanted:
        table.add_column(escape(metric.label), justify="right")
    for trial in trials:
        by_key = {score.metric: score.value for score in trial.scores}
        cells = [_value(by_key.get(metric.key), metric) for metric in wanted]
        table.add_row(escape(trial.query), _ended(trial), *cells)
    return table


def _ended(trial: TrialRow) -> str:
    if trial.outcome is None:
        return "running"
    if trial.outcome is Outcome.FAILED and trial.failure is not None:
        return f"failed: {trial.failure.value}"
    return trial.outcome.value


def _summary_table(
    trials: Sequence[TrialRow], wanted: Sequence[metrics.Metric], planned: int
) -> Table:
    table = Table("Metric", box=None, header_style="bold", pad_edge=False)
    has_excused = any(trial.is_excused for trial in trials)
    headings = ("Average", "95 % interval", "Scored", "Others as 0")
    for heading in headings if has_excused else headings[:3]:
        table.add_column(heading, justify="right")
    for metric in wanted:
        running = Running(metric.scale)
        for trial in trials:
            for score in trial.scores:
                if score.metric == metric.key:
                    running.add(score.value, trial.query_id, is_excused=trial.is_excused)
        summary = running.summary(planned)
        table.add_row(
            escape(metric.label),
            _average(summary, metric),
            _interval(summary, metric),
            summary.counts,
            *([_value(summary.counted, metric)] if has_excused else []),
        )
    return table


def _average(summary: Summary, metric: metrics.Metric) -> str:
    value = _value(summary.value, metric)
    return f"{value} (median)" if summary.average == "median" and value != "–" else value


def _interval(summary: Summary, metric: metrics.Metric) -> str:
    if summary.low is None or summary.high is None:
        return "–"
    return f"{_value(summary.low, metric)} to {_value(summary.high, metric)}"


def _value(value: float | None, metric: metrics.Metric) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if metric.highest == 1.0 or value < 100 else f"{value:,.0f}"
