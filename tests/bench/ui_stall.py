"""How long the window stands still while a run streams in, is opened, stepped through and judged.

    python -m tests.bench.ui_stall [trials] [--analysis]

The real window over the real engine process, with the Evaluate page in view, or the Analysis page:
both were made, as in a window that is in use.  A process of its own writes the trials of a run into
the project's store, as an engine does that asks a model; then the run is opened anew, stepped
through, and judged again by the engine, with nothing of it faked.

A timer of a millisecond in the GUI thread measures the gaps between its ticks, first with an idle
page (the floor).  "max" and "> 16.7" are of the clock on the wall: where the cores are busy, a part
of such a gap is waiting for one.  The columns of CPU tell what the GUI thread itself worked between
two ticks, and "gc" the longest that Python's collector took of it: that is the window's own doing.
Target: no gap above 16.7 ms.
"""

import gc
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer

from studio.engine.messages import RunEnded, RunProgressed, RunStarted
from studio.engine.records import Criteria, MetricSpec
from studio.engine.store.writer import Store
from studio.ui.app import Studio, make_application
from studio.ui.link import EngineLink
from tests.ui import builders, failing
from tests.ui.stage import FACTS

TARGET_MS = 16.7
_PACE = 0.004
_PROJECT = Path(__file__).parents[2] / "sample_projects" / "metal_prices"
_OTHERWISE = Criteria((*builders.METRICS, MetricSpec("redundant_calls")))
"""Other criteria than those of the run, as far as its columns go: by these it is judged again."""


class Gaps:
    """The gaps between the ticks of a timer in the GUI thread."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.work: list[float] = []
        self.collected = 0.0
        self._last = self._worked = self._collecting = 0.0
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        gc.callbacks.append(self._collect)

    def start(self) -> None:
        self.seconds.clear()
        self.work.clear()
        self.collected = 0.0
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.seconds.append(now - self._last)
        self.work.append(worked - self._worked)
        self._last, self._worked = now, worked

    def _collect(self, phase: str, _info: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._collecting = now
        else:
            self.collected = max(self.collected, now - self._collecting)


def write(folder: str, trials: int, pace: float, is_over: Event) -> None:
    """The engine's part: trials at an even pace, a little faster than any real model."""
    queries = builders.queries(trials)
    with Store.open(Path(folder)) as store:
        run = store.create_run(builders.plan(trials), [FACTS], queries)
        for place in range(trials):
            row = failing.trial(place)
            trial = store.begin_trial(run, queries[place], 1, place)
            for event in builders.events_of(row):
                store.append(trial, event)
            store.add_scores(trial, row.scores, row.findings)
            time.sleep(pace)
        store.end_run(run, "finished")
    is_over.set()


def spin(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def wait_for(is_so: Callable[[], bool]) -> None:
    while not is_so():
        spin(0.05)


def report(name: str, gaps: Gaps) -> None:
    gaps.stop()
    waited, worked = sorted(gaps.seconds), sorted(gaps.work)
    figures = (
        waited[len(waited) // 2], waited[int(0.999 * len(waited))], waited[-1],
        worked[int(0.999 * len(worked))], worked[-1], gaps.collected,
    )  # fmt: skip
    shown = "".join(f"{1000 * figure:>10.1f}" for figure in figures)
    over, own = (sum(1000 * each > TARGET_MS for each in gap) for gap in (waited, worked))
    print(f"{name:<27}{len(waited):>8}{shown}{over:>8}{own:>8}", flush=True)


def main() -> None:
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    trials = int(numbers[0]) if numbers else 1_000
    app = make_application(sys.argv[:1])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        shutil.copytree(_PROJECT, folder)
        studio = Studio(app, Path(place) / "state", opens=folder)
        studio.begun.connect(studio.spare_the_collector)
        studio.window.show()
        wait_for(lambda: hasattr(studio, "session") and bool(studio.session.queries))
        measure(studio, str(folder), trials, "analysis" if "--analysis" in sys.argv else "evaluate")
        studio.leave()
        app.exec()


def measure(studio: Studio, folder: str, trials: int, page: str) -> None:
    gaps, session = Gaps(), studio.session
    for each in ("evaluate", "analysis", page):
        session.show_page(each)
        spin(0.5)
    spin(6)  # the engine loads its libraries
    heads = ("p50", "p99.9", "max", "CPU p99.9", "CPU max", "gc max", "> 16.7", "CPU >")
    widths = (10, 10, 10, 10, 10, 10, 8, 8)
    shown = "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True))
    print(f"{f'ms between ticks, {page}':<27}{'ticks':>8}{shown}")
    gaps.start()
    spin(2)
    report("idle, nothing run", gaps)
    run = stream(studio, folder, trials, gaps)
    gaps.start()
    session.open_run(run)
    spin(2 + trials / 2_000)
    report("the same run opened again", gaps)
    gaps.start()
    shown_page = studio.window.current
    for _ in range(40):
        shown_page.next_trial()
        spin(0.03)
        shown_page.next_step()
        spin(0.02)
    report("stepping through trials", gaps)
    for name, criteria in (("by others", _OTHERWISE), ("by the same", _OTHERWISE)):
        gaps.start()
        session.lab.score_again((run,), criteria)
        wait_for(lambda: session.lab.scoring is None)
        spin(1 + trials / 5_000)
        report(f"judged again {name}", gaps)
    done = [each.done for each in session.lab.scored]
    assert done == [trials], f"not all was judged again: {session.lab.scored}"


def stream(studio: Studio, folder: str, trials: int, gaps: Gaps) -> int:
    """Have a run written while the window follows it; its number."""
    link, session = studio.findChild(EngineLink), studio.session
    spawn = multiprocessing.get_context("spawn")
    is_over = spawn.Event()
    pace = _PACE if trials <= 2_000 else 0.0
    engine = spawn.Process(target=write, args=(folder, trials, pace, is_over))
    engine.start()
    wait_for(lambda: session.reader is not None and bool(session.reader.runs()))
    row = session.reader.runs()[0]
    gaps.start()
    link.noticed.emit((RunStarted(row.id, row.plan, row.servers),))
    spin(2)
    report("charts are made", gaps)
    gaps.start()
    while not is_over.is_set():
        link.noticed.emit((RunProgressed(row.id, session.reader.tally(row.id)),))
        spin(0.033)
    link.noticed.emit((RunEnded(row.id, "finished", session.reader.tally(row.id)),))
    spin(0.5)
    report(f"{trials:,} trials stream in", gaps)
    engine.join()
    return row.id


if __name__ == "__main__":
    main()
