"""The trials of a stored run in a terminal: which there are to look at, step by step."""

import shlex
import sys
from pathlib import Path

import msgspec

from studio.engine.analysis.figures import measure
from studio.engine.metrics import Metric
from studio.engine.records import JsonObject
from studio.engine.store.rows import RunRow, TrialRow
from studio.terminal_console import PlainConsole
from studio.terminal_figures import shown as in_digits
from studio.terminal_results import by_place, ended
from studio.terminal_runs import run_of, stored_runs
from studio.terminal_tables import show_table
from studio.terminal_text import titled

_MOST_ROWS = 1_000


def list_trials(folder: Path, run: int, *, as_json: bool) -> int:
    """List the trials of a run: how each ended, its scores, what went wrong first.

    Raises RunError if there is no such run, StoreError if it cannot be read.
    """
    with stored_runs(folder) as reader:
        row = run_of(reader, run)
        trials = sorted(reader.trials(run), key=by_place)
    if as_json:
        listed = {"run": run, "trials": [_as_json(trial) for trial in trials]}
        sys.stdout.buffer.write(msgspec.json.encode(listed) + b"\n")
    else:
        _show(folder, row, trials)
    return 0


def _show(folder: Path, run: RunRow, trials: list[TrialRow]) -> None:
    console = PlainConsole()
    if not trials:
        console.print(f"No trial of run {run.id} has begun.")
        return
    metrics = measure(run)
    labels = [metric.label for metric in metrics]
    headings = ("Query", "Trial", "Ended", "Went wrong", *labels)
    rows = [_cells(trial, metrics) for trial in trials[:_MOST_ROWS]]
    show_table(console, headings, rows, numbers=("Trial", *labels))
    if len(trials) > _MOST_ROWS:
        console.print(f"... and {len(trials) - _MOST_ROWS:,} more (--json lists them all).")
    number = " --trial N" if run.plan.trials > 1 else ""
    one = f"studio trace {shlex.quote(str(folder))} {run.id} QUERY{number}"
    console.print(f"Step by step: {one}", markup=False, highlight=False, soft_wrap=True)


def _cells(trial: TrialRow, metrics: tuple[Metric, ...]) -> list[str]:
    values = {score.metric: score.value for score in trial.scores}
    scores = [in_digits(values.get(metric.key), metric.highest) for metric in metrics]
    wrong = trial.findings[0].mode.value if trial.findings else ""
    query = titled(trial.query_id, trial.query)
    return [query, str(trial.number), ended(trial), wrong, *scores]


def _as_json(trial: TrialRow) -> JsonObject:
    return {
        "query": trial.query_id,
        "trial": trial.number,
        "outcome": trial.outcome,
        "failure": trial.failure,
        "reason": trial.reason,
        "answer": trial.answer,
        "seconds": trial.seconds,
        "steps": trial.steps,
        "scores": {
            each.metric: {"value": each.value, "reason": each.reason, "version": each.version}
            for each in trial.scores
        },
        "went_wrong": [
            {"mode": each.mode, "reason": each.reason, "event": each.event}
            for each in trial.findings
        ],
    }
