"""What recording costs: `python -m tests.bench.store [cases]`.

Every figure is to be read against the others of the same run: machines and moments differ.
"""

import contextlib
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from studio.engine.events import Event, StepEnded, StepStarted, encode
from studio.engine.records import Query, Score
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace

SCORES = (
    Score("answer_contains", "1", 1.0, "The answer holds what was expected."),
    Score("tool_call_accuracy", "1", 1.0, "The one expected call was made."),
)
CONSOLE = Console()

Case = tuple[Query, list[Event]]


@contextlib.contextmanager
def _opened(synchronous: str = "FULL") -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder)) as store:
        store._connection.execute(f"PRAGMA synchronous = {synchronous}")
        yield store


def _record_case(store: Store, run: int, position: int, case: Case, wait: str = "") -> None:
    """Wait for the acknowledgement of each "event", of the "case" as a whole, or of nothing."""
    query, trace = case
    trial = store.begin_trial(run, query, 1, position)
    for event in trace:
        store.append(trial, event)
        if wait == "event":
            store.committed().result()
    store.add_scores(trial, SCORES)
    if wait == "case":
        store.committed().result()


def _record(store: Store, cases: list[Case], wait: str) -> float:
    """Microseconds an event, until all of it is on disk."""
    run = store.create_run(a_plan(len(cases)), [SERVER])
    store.committed().result()
    started = time.perf_counter()
    for position, case in enumerate(cases):
        _record_case(store, run, position, case, wait)
    store.committed().result()
    return (time.perf_counter() - started) / sum(len(trace) for _, trace in cases) * 1e6


def _commits(cases: list[Case], rounds: int = 5) -> None:
    ways = {
        "group commit, FULL": ("FULL", ""),
        "group commit, NORMAL": ("NORMAL", ""),
        "acknowledged by case, FULL": ("FULL", "case"),
        "commit by event, FULL": ("FULL", "event"),
    }
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (synchronous, wait) in ways.items():
            with _opened(synchronous) as store:
                some = cases[: len(cases) // 10] if wait == "event" else cases
                taken[way].append(_record(store, some, wait))
    table = Table("way of writing", "µs/event", "of group commit, NORMAL", title="Commits")
    normal = median(taken["group commit, NORMAL"])
    for way, figures in taken.items():
        table.add_row(way, f"{median(figures):.1f}", f"{median(figures) / normal:.2f} ×")
    CONSOLE.print(table)


def _producer(cases: list[Case]) -> None:
    """What the agent's thread pays: it works 20 ms a case, as with a very fast model."""
    spent: list[float] = []
    with _opened() as store:
        run = store.create_run(a_plan(len(cases)), [SERVER])
        for position, (query, trace) in enumerate(cases):
            trial = store.begin_trial(run, query, 1, position)
            for event in trace:
                started = time.perf_counter()
                store.append(trial, event)
                spent.append((time.perf_counter() - started) * 1e6)
            time.sleep(0.02)
    spent.sort()
    table = Table("median", "mean", "99 %", title="µs an append costs the thread that records")
    figures = (median(spent), sum(spent) / len(spent), spent[len(spent) * 99 // 100])
    table.add_row(*(f"{figure:.1f}" for figure in figures))
    CONSOLE.print(table)


def _latency(cases: list[Case]) -> None:
    """From the last append of a case until another connection reads it, nobody waiting for it."""
    taken: list[float] = []
    with _opened() as store:
        run = store.create_run(a_plan(len(cases)), [SERVER])
        reader = RunReader(store.path)
        for position, (query, trace) in enumerate(cases):
            trial = store.begin_trial(run, query, 1, position)
            for event in trace:
                store.append(trial, event)
            started = time.perf_counter()
            while reader.event_count(trial) < len(trace):
                time.sleep(0.001)
            taken.append((time.perf_counter() - started) * 1e3)
            time.sleep(0.01 * (position % 10))
        reader.close()
    table = Table("median", "worst", title="ms until what was recorded can be read")
    table.add_row(f"{median(taken):.0f}", f"{max(taken):.0f}")
    CONSOLE.print(table)


def _size_and_reading(cases: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store.open(folder) as store:
            run = store.create_run(a_plan(len(cases)), [SERVER], [query for query, _ in cases])
            for position, case in enumerate(cases):
                _record_case(store, run, position, case)
        on_disk = runs_file(folder).stat().st_size / len(cases)
        raw = sum(len(encode(trace)) for _, trace in cases) / len(cases)
        table = Table(
            "on disk", "its events as JSON", title="Bytes a case (one tool call, 2 scores)"
        )
        table.add_row(f"{on_disk:.0f}", f"{raw:.0f}")
        CONSOLE.print(table)

        reader = RunReader(folder)
        calls = {
            "changed_trials (500 rows with scores)": lambda: reader.changed_trials(run),
            "events of a trial": lambda: reader.events(1),
            "tally": lambda: reader.tally(run),
            "runs": lambda: reader.runs(),
        }
        table = Table("call", "ms", title="Reading")
        for what, call in calls.items():
            table.add_row(what, f"{_milliseconds(call):.2f}")
        CONSOLE.print(table)
        reader.close()


def _long_trial(steps: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        with Store.open(Path(name)) as store:
            trial = store.begin_trial(store.create_run(a_plan(), [SERVER]), a_query(), 1, 0)
            for step in range(steps):
                store.append(trial, StepStarted(1.8e9 + step, f"s{step}", None, "agent", step))
                store.append(trial, StepEnded(1.8e9 + step, f"s{step}"))
        reader = RunReader(Path(name))
        table = Table("page of 100 events", "ms", title=f"A trial of {steps:,} steps")
        for where, first in {"first": 0, "middle": steps, "last": 2 * steps - 100}.items():
            table.add_row(where, f"{_milliseconds(lambda at=first: reader.events(1, at, 100)):.2f}")
        CONSOLE.print(table)
        reader.close()


def _memory(few: int, many: int) -> None:
    """Peak memory of processes that record so many cases."""
    command = [sys.executable, "-m", "tests.bench.store", "--peak"]
    peaks = [
        int(subprocess.run([*command, str(cases)], capture_output=True, check=True).stdout)
        for cases in (0, few, many)
    ]
    table = Table("cases", "peak MiB", title="Memory")
    for cases, peak in zip((0, few, many), peaks, strict=True):
        table.add_row(f"{cases:,}", f"{peak / 1024:.1f}")
    CONSOLE.print(table)


def _record_and_tell_peak(cases: int) -> None:
    with _opened() as store:
        run = store.create_run(a_plan(cases), [SERVER])
        for position in range(cases):
            query = a_query(position)
            _record_case(store, run, position, (query, a_trace(query)))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _milliseconds(call: Callable[[], object]) -> float:
    call()
    taken = []
    for _ in range(21):
        started = time.perf_counter()
        call()
        taken.append((time.perf_counter() - started) * 1e3)
    return median(taken)


def main(cases: int) -> None:
    made = [(query := a_query(position), a_trace(query)) for position in range(cases)]
    gc.freeze()
    _commits(made)
    _producer(made[:300])
    _latency(made[:200])
    _size_and_reading(made)
    _long_trial(100_000)
    _memory(1_000, 10_000)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        _record_and_tell_peak(int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
