"""The results of a run in a terminal: its trials, its figures, whose doing the failures were."""

import contextlib
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from studio.engine import metrics
from studio.engine.again import fitting_window, invalid
from studio.engine.analysis import failures as doing
from studio.engine.analysis.figures import RunFigures, measure, run_figures
from studio.engine.analysis.judged import apart, told
from studio.engine.analysis.noise import pairs_of
from studio.engine.metrics.own.code import digest_in
from studio.engine.models import absences
from studio.engine.models.options import in_words
from studio.engine.outcomes import Outcome
from studio.engine.records import RunPlan, Tally
from studio.engine.server_facts import ServerFacts
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow, TrialRow
from studio.terminal_failures import top_modes
from studio.terminal_figures import about_unscored, reliability_line, summary_grid
from studio.terminal_figures import shown as in_digits
from studio.terminal_runs import judged, rescoring
from studio.terminal_tables import show_indented, show_table
from studio.terminal_text import visible

_MOST_ROWS = 60
_MOST_REASONS = 3


def show_beginning(console: Console, plan: RunPlan, servers: Sequence[ServerFacts]) -> None:
    """What begins: the variant, who is asked, and with which options."""
    sharing = [each for each in servers if not each.left_out]
    where = f"{len(sharing)} servers" if len(sharing) > 1 else sharing[0].name
    amount = f"{plan.planned:,} {'trial' if plan.planned == 1 else 'trials'}"
    begins = f"{plan.variant.name} on {where}, {amount}"
    console.print(begins, markup=False, highlight=False)
    show_indented(console, [*map(_server, sharing), in_words(plan.variant.model.options)])


def _server(facts: ServerFacts) -> str:
    """A server with its version, its model's digest and the window that it allocated."""
    parts = [facts.name, f"version {facts.version}" if facts.version else ""]
    parts.append(f"digest {facts.model_digest[:12]}" if facts.model_digest else "")
    parts.append(f"window {facts.window:,}" if facts.window else "")
    parts.append("" if facts.load_seconds is None else f"loaded in {facts.load_seconds:.1f} s")
    return ", ".join(filter(None, parts))


def show_results(console: Console, folder: Path, run: int) -> RunRow | None:
    """Show them; returns the run as it is stored, None if it is not."""
    with contextlib.closing(RunReader(runs_file(folder))) as reader:
        row = reader.run(run)
        if row is None:
            return None  # the disk was full before anything of it was written
        trials = sorted(reader.trials(run), key=by_place)
        wanted = measure(row)
        cut = invalid(trials)
        again = fitting_window(reader, row, cut) if cut else None
        before = list(reader.trials(row.plan.repeats)) if row.plan.repeats else []
        differs = _apart_from_repeated(reader, folder, row)
    if len(trials) <= _MOST_ROWS:
        _show_trials(console, row, trials, wanted)
    figures = run_figures(row, trials, wanted, digest_in(folder))
    has_excused = any(trial.is_excused for trial in trials)
    summary_grid(figures.measured, has_excused=has_excused).show(console)
    for line in about_unscored(figures.measured):
        console.print(line, markup=False, highlight=False)
    console.print(f"Run {run}: {tally_line(row.tally)}.")
    if row.is_half_judged:
        console.print("Some trials still have their scores by earlier metrics.", soft_wrap=True)
    if scored := told(figures.versions):
        line = f"{scored}. Score again: {rescoring(folder, run)}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    _tell_marks(console, trials)
    _tell_servers(console, row, trials)
    _tell_failures(console, row, trials, again)
    _tell_reliability(console, folder, figures)
    if row.plan.repeats is not None:
        _show_noise(console, row, before, trials, wanted)
        for line in differs:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    return row


def tally_line(tally: Tally) -> str:
    """`10 done, 1 failed, 1 not run of 12 planned`."""
    parts = [f"{tally.done:,} done"]
    parts += [
        f"{number:,} {word}"
        for word, number in (
            ("failed", tally.failed), ("invalid", tally.invalid), ("skipped", tally.skipped),
            ("cancelled", tally.cancelled), ("not run", tally.left),
        )
        if number
    ]  # fmt: skip
    return f"{', '.join(parts)} of {tally.planned:,} planned"


def _apart_from_repeated(reader: RunReader, folder: Path, row: RunRow) -> list[str]:
    """How a run and the one that it repeats were not judged alike, which is no noise."""
    before = None if row.plan.repeats is None else reader.run(row.plan.repeats)
    if before is None:
        return []
    return apart(judged(reader, folder, row), judged(reader, folder, before))


def _tell_marks(console: Console, trials: Sequence[TrialRow]) -> None:
    """What there was to remark on how trials went: calls found in text, tries on other servers."""
    counts = Counter(mark for trial in trials for mark in trial.marks)
    if counts:
        told = ", ".join(f"{mark} in {number:,}" for mark, number in counts.most_common())
        console.print(f"Trials marked: {told}.", markup=False, highlight=False, soft_wrap=True)


def _tell_servers(console: Console, row: RunRow, trials: Sequence[TrialRow]) -> None:
    """Who was asked for how many trials, where there were several servers, or the one was lost."""
    if len(row.servers) == 1 and not (row.server.left_out or row.server.absences):
        return
    for server in row.servers:
        number = sum(trial.server == server.name for trial in trials)
        told = f"asked for {number:,}" if server.took_part else "took no part"
        if server.absences:
            told = f"{told}, {absences.in_words(server.absences)}"
        show_indented(console, [f"{_server(server)}: {told}. {server.left_out}".rstrip()])


def _tell_failures(
    console: Console, row: RunRow, trials: Sequence[TrialRow], again: int | None
) -> None:
    """Whose doing it was that trials gave no answer, and how to run the invalid ones again."""
    counts = doing.failures(trials)
    if not counts:
        return
    total = sum(counts.values())
    console.print(f"{total:,} gave no answer: {doing.in_words(counts)}.", soft_wrap=True)
    if others := doing.excused(counts):
        of_which = f"of which not the agent's doing, and not scored: {doing.in_words(others)}."
        console.print(f"  {of_which}", soft_wrap=True)
    reasons = dict.fromkeys(trial.reason for trial in trials if trial.is_excused and trial.reason)
    for reason in list(reasons)[:_MOST_REASONS]:
        console.print(f"  {visible(reason)}", markup=False, highlight=False, soft_wrap=True)
    if again is not None:
        console.print(f"Again with room for them: --continue {row.id} --num-ctx {again}")


def _tell_reliability(console: Console, folder: Path, figures: RunFigures) -> None:
    """What repeating showed and what went wrong first, in a line each, and where the rest is."""
    modes = top_modes(figures.failure_map.buckets)
    lines = [reliability_line(figures.reliability), f"Went wrong first: {modes}." if modes else ""]
    told = [line for line in lines if line]
    if told:
        told.append(f"More: studio analyse {shlex.quote(str(folder))} --run {figures.run}")
    for line in told:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _show_noise(
    console: Console,
    row: RunRow,
    before: Sequence[TrialRow],
    trials: Sequence[TrialRow],
    wanted: Sequence[metrics.Metric],
) -> None:
    headings = (
        f"Noise: run {row.plan.repeats} again, nothing changed",
        "Mean then", "Mean now", "Apart", "Trials that differ",
    )  # fmt: skip
    rows, pairs = [], pairs_of(before, trials)
    for metric in wanted:
        found = pairs.noise(metric.key)
        figures = (found.first, found.second, found.apart)
        shown = [in_digits(figure, metric.highest) for figure in figures]
        rows.append([metric.label, *shown, f"{found.differing:,} of {found.paired:,}"])
    show_table(console, headings, rows, numbers=headings[1:])


def by_place(row: TrialRow) -> tuple[int, int]:
    """What puts trials into the order of the plan."""
    return (row.position, row.number)


def _show_trials(
    console: Console, run: RunRow, trials: Sequence[TrialRow], wanted: Sequence[metrics.Metric]
) -> None:
    is_shared = len(run.shared) > 1
    labels = [metric.label for metric in wanted]
    headings = ["Query", "Outcome", *(["Server"] if is_shared else []), *labels]
    rows = []
    for trial in trials:
        by_key = {score.metric: score.value for score in trial.scores}
        cells = [in_digits(by_key.get(metric.key), metric.highest) for metric in wanted]
        server = [trial.server.removeprefix("http://")] if is_shared else []
        rows.append([trial.query, ended(trial), *server, *cells])
    show_table(console, headings, rows, numbers=labels)


def ended(trial: TrialRow) -> str:
    """How a trial ended, and whose doing it was that it gave no answer."""
    if trial.outcome is None:
        # Who only reads the store cannot tell whether somebody still works on it.
        return "not ended"
    if trial.outcome is Outcome.FAILED and trial.failure is not None:
        return f"failed: {trial.failure.value}"
    return trial.outcome.value
