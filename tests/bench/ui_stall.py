"""How long the window stands still while a run streams into the Evaluate or the Analysis page.

    python -m tests.bench.ui_stall [trials] [--analysis]

A process of its own writes the trials into a real store, as an engine does; the page follows by its
real session.  A timer of a millisecond in the GUI thread measures the gaps between its ticks, first
with an idle page (the floor), then while the run goes on.  "max CPU" is the most that the GUI
thread itself worked between two ticks: on a busy machine the rest of a gap is waiting.
Target: no gap above 16.7 ms.
"""

import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from studio.engine.messages import (
    EngineReady,
    ProjectOpened,
    QueriesRead,
    RunProgressed,
    RunStarted,
)
from studio.engine.store.writer import Store
from studio.ui.commands import Actions
from studio.ui.link import EngineLink
from studio.ui.remembered import Remembered
from studio.ui.session import Session
from studio.ui.theme import Theme
from studio.ui.views.analysis import AnalysisPage
from studio.ui.views.evaluate import EvaluatePage
from tests.ui import builders, failing
from tests.ui.stage import FACTS

TARGET_MS = 16.7
_PACE = 0.004


class Gaps:
    """The gaps between the ticks of a timer in the GUI thread."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.work: list[float] = []
        self._last = self._worked = 0.0
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self.seconds.clear()
        self.work.clear()
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.seconds.append(now - self._last)
        self.work.append(worked - self._worked)
        self._last, self._worked = now, worked


def write(folder: str, trials: int, is_over) -> None:
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
            time.sleep(_PACE)
        store.end_run(run, "finished")
    is_over.set()


def spin(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def report(name: str, gaps: Gaps) -> None:
    gaps.stop()
    waited, worked = sorted(gaps.seconds), sorted(gaps.work)
    figures = (
        *(1000 * waited[min(len(waited) - 1, int(at * len(waited)))] for at in (0.5, 0.99, 0.999)),
        1000 * waited[-1],
        1000 * worked[-1],
    )
    shown = "".join(f"{figure:>9.1f}" for figure in figures)
    over = sum(1000 * each > TARGET_MS for each in waited)
    own = sum(1000 * each > TARGET_MS for each in worked)
    print(f"{name:<27}{len(waited):>8}{shown}{over:>9}{own:>9}", flush=True)


def main() -> None:
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    trials = int(numbers[0]) if numbers else 1_000
    sys.setswitchinterval(0.0005)
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        measure(app, folder, trials, AnalysisPage if "--analysis" in sys.argv else EvaluatePage)


def measure(
    app: QApplication, folder: str, trials: int, kind: type[EvaluatePage | AnalysisPage]
) -> None:
    link = EngineLink()
    session = Session(link, Remembered(Path(folder) / "window.json"))
    page = kind(session, Theme(app, "light"), Actions())
    page.resize(1132, 746)
    page.show()
    queries = builders.queries(trials)
    store = Path(folder) / ".studio" / "runs.sqlite"
    opened = ProjectOpened(builders.project(), trials, is_trusted=True, store=str(store))
    link.noticed.emit((EngineReady(1, "0"), opened, QueriesRead(0, queries)))

    gaps = Gaps()
    heads = ("p50", "p99", "p99.9", "max", "max CPU", "> 16.7", "CPU >")
    print(f"{'ms between ticks':<27}{'ticks':>8}{''.join(f'{head:>9}' for head in heads)}")
    gaps.start()
    spin(2)
    report("idle, nothing run", gaps)

    is_over = multiprocessing.get_context("spawn").Event()
    engine = multiprocessing.get_context("spawn").Process(
        target=write, args=(folder, trials, is_over)
    )
    engine.start()
    while not store.exists() or session.reader is None or not session.reader.runs():
        spin(0.05)
    run = session.reader.runs()[0]
    gaps.start()
    link.noticed.emit((RunStarted(run.id, run.plan, FACTS),))
    spin(2)
    report("charts are made", gaps)

    gaps.start()
    tell(link, session, run.id, is_over)
    report(f"{trials:,} trials stream in", gaps)
    engine.join()

    gaps.start()
    session.open_run(run.id)
    spin(2)
    report("the same run opened again", gaps)
    gaps.start()
    for _ in range(40):
        page.next_trial()
        spin(0.03)
        page.next_step()
        spin(0.02)
    report("stepping through trials", gaps)
    page.close()
    session.close()


def tell(link: EngineLink, session: Session, run: int, is_over) -> None:
    """Say every 33 ms that there is more, as the engine does, until all of it was shown."""
    while not is_over.is_set():
        assert session.reader is not None
        link.noticed.emit((RunProgressed(run, session.reader.tally(run)),))
        spin(0.033)
    spin(0.5)


if __name__ == "__main__":
    main()
