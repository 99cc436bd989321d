"""`studio analyse`: every figure of a stored run in the terminal, or as JSON for programs."""

import sys
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.console import Console

from studio import terminal_figures as tables
from studio.engine.analysis import flips
from studio.engine.analysis.figures import RunFigures, measure, run_figures, unknown
from studio.engine.analysis.flips import Flips
from studio.engine.analysis.judged import Judged, apart, told
from studio.engine.analysis.passing import Rule
from studio.engine.errors import RunError
from studio.engine.metrics.own.code import digest_in
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow
from studio.terminal_console import PlainConsole
from studio.terminal_failures import map_grid, place_lines, places_of
from studio.terminal_runs import judged, rescoring, run_of, stored_runs
from studio.terminal_tables import show_indented
from studio.terminal_text import titled


class _Analysed(NamedTuple):
    """A run, its figures, what changed since another run, and between its first two trials.

    `apart` says how the two runs were not judged alike; `titles` which query an id stands for.
    """

    run: RunRow
    figures: RunFigures
    before: RunRow | None
    since: Flips | None
    apart: Sequence[str]
    within: Flips | None
    titles: Mapping[str, str]


def analyse(folder: Path, run: int | None, against: int | None, *, as_json: bool) -> int:
    """Print the figures of a run (the newest, if none is named); 0 when that could be done."""
    with stored_runs(folder) as reader:
        analysed = _analysed(reader, folder, run, against)
    if as_json:
        sys.stdout.buffer.write(msgspec.json.encode(_as_json(analysed)) + b"\n")
    else:
        _print(PlainConsole(), folder, analysed)
    return 0


def _analysed(reader: RunReader, folder: Path, run: int | None, against: int | None) -> _Analysed:
    row = run_of(reader, run)
    trials = list(reader.trials(row.id))
    figures = run_figures(row, trials, measure(row), digest_in(folder))
    within = flips.between_trials(trials, figures.rules) if row.plan.trials > 1 else None
    titles = {trial.query_id: titled(trial.query_id, trial.query) for trial in trials}
    if against is None:
        return _Analysed(row, figures, None, None, (), within, titles)
    if against == row.id:
        raise RunError(
            f"Run {against} cannot be compared with itself.",
            "Name an earlier run with --against; `studio runs` lists them.",
        )
    before = run_of(reader, against)
    since = flips.between_runs(reader.trials(before.id), trials, figures.rules)
    ours, theirs = Judged(row.criteria, figures.versions), judged(reader, folder, before)
    differs = apart(ours, theirs, [rule.metric for rule in figures.rules])
    return _Analysed(row, figures, before, since, differs, within, titles)


def _print(console: Console, folder: Path, analysed: _Analysed) -> None:
    run, figures = analysed.run, analysed.figures
    tally = run.tally
    _say(console, f"Run {run.id}: {run.plan.variant.name}")
    _say(
        console, f"{tally.done:,} of {tally.planned:,} planned trials done. {_rules(figures.rules)}"
    )
    if run.is_half_judged:
        _say(console, "Scoring it again was broken off: some trials have their earlier scores.")
    if scored := told(figures.versions):
        _say(console, f"{scored}. Score again: {rescoring(folder, run.id)}")
    for problem in unknown(run):
        _say(console, f"Nothing is told of a metric that another version had. {problem}")
    has_excused = any(each.summary.excused for each in figures.measured)
    console.print()
    tables.summary_grid(figures.measured, has_excused=has_excused).show(console)
    for line in tables.about_unscored(figures.measured):
        _say(console, line)
    _print_reliability(console, analysed)
    _print_claims(console, figures)
    _print_map(console, folder, analysed)
    if analysed.before is not None and analysed.since is not None:
        other = analysed.before
        title = f"Against run {other.id}: {other.plan.variant.name}"
        tables.flip_grid(analysed.since, title, f"run {other.id}", f"run {run.id}").show(console)
        for line in (*tables.about_flips(analysed.since, analysed.titles), *analysed.apart):
            _say(console, line)


def _print_claims(console: Console, figures: RunFigures) -> None:
    """What the agent says of itself, and what the benchmarks of the metrics report."""
    for calibrated in figures.calibrated:
        if calibrated.calibration.paired:
            tables.calibration_grid(calibrated).show(console)
        _say(console, tables.about_calibration(calibrated))
    for claimed in figures.claimed:
        _say(console, tables.about_claims(claimed))
    for benchmarked in figures.benchmarked:
        if any(figure.of for figure in benchmarked.figures):
            tables.benchmark_grid(benchmarked).show(console)


def _print_reliability(console: Console, analysed: _Analysed) -> None:
    found = analysed.figures.reliability
    if not found.most:
        _say(console, "\nReliability: no trial tells whether it passed.")
        return
    tables.reliability_grid(found).show(console)
    for line in tables.about_reliability(found):
        _say(console, line)
    for about in (tables.about_rounds, tables.about_agreement):
        if line := about(analysed.figures):
            _say(console, line)
    if found.most < 2:
        _say(console, "One trial a query tells nothing of repeating: run more with --trials.")
        return
    tables.k_of_n_grid(found.queries, analysed.titles).show(console)
    if len(found.queries) > tables.MOST_QUERIES:
        _say(console, f"... and {len(found.queries) - tables.MOST_QUERIES:,} more.")
    _say(console, tables.distribution(found.queries))
    if analysed.within is not None and analysed.within.compared:
        title = "Between the first two trials of each query: what changes is noise"
        tables.flip_grid(analysed.within, title, "trial 1", "trial 2").show(console)


def _print_map(console: Console, folder: Path, analysed: _Analysed) -> None:
    figures, titles = analysed.figures, analysed.titles
    found = figures.failure_map
    if not found.failed and not found.apart:
        tell_all = 0 < figures.tally.done == figures.passed.scored
        _say(console, "\nNo trial failed." if tell_all else "\nNo trial is known to have failed.")
        return
    map_grid(found).show(console)
    if found.failed and not found.buckets:
        command = rescoring(folder, figures.run)
        _say(console, f"If an older version scored this run, this one finds out more: {command}")
    for name, places in places_of(found):
        _say(console, f"{name}:")
        show_indented(console, place_lines(places, titles))


def _rules(rules: Sequence[Rule]) -> str:
    if not rules:
        return "No metric of the run tells whether a trial passed."
    told = (f"{rule.metric} {'≤' if rule.is_most else '≥'} {rule.at:g}" for rule in rules)
    return f"A trial passes if {', '.join(told)}."


def _say(console: Console, line: str) -> None:
    """A line with foreign text in it: no markup, wrapped by the console."""
    console.print(line, markup=False, highlight=False)


def _as_json(analysed: _Analysed) -> dict[str, Any]:
    run, before = analysed.run, analysed.before
    against = None
    if before is not None:
        since, differs = _whole(analysed.since), list(analysed.apart)
        against = {"run": before.id, "flips": since, "judged_apart": differs}
    return {
        "project": run.plan.project,
        "variant": run.plan.variant.name,
        "model": run.plan.variant.model.name,
        "ending": run.ending,
        "figures": _whole(analysed.figures),
        "against": against,
        "between_trials_1_and_2": _whole(analysed.within),
    }


def _whole(value: Any) -> Any:
    """A value as JSON with every field, those at their default as well."""
    match value:
        case msgspec.Struct():
            return {name: _whole(getattr(value, name)) for name in value.__struct_fields__}
        case Enum():
            return value.value
        case tuple() if hasattr(value, "_asdict"):
            return _whole(value._asdict())
        case Mapping():
            return {str(_whole(key)): _whole(item) for key, item in value.items()}
        case list() | tuple():
            return [_whole(item) for item in value]
        case _:
            return value
