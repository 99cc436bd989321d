"""How fast the trace of a trial opens, whatever its length, beside Qt's own eager model.

    python -m tests.bench.ui_trace

Opens traces of 10 to 1,000,000 steps in the tree of the Evaluate page, each in a fresh process, and
shows the first paint, a jump to the last stretch, scrolling, and the memory over the empty tree.
For comparison a QStandardItemModel with the rows of 100,000 steps, filled and painted.
"""

import os
import resource
import subprocess
import sys
import time
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QTreeView

from studio.engine.events import Event
from studio.engine.outcomes import Outcome
from studio.engine.store.rows import TrialRow
from studio.ui.models.stored import StoredTrace
from studio.ui.theme import Theme
from studio.ui.views.trace import TraceView
from tests.ui import builders

_BLOCK = builders.events(cycles=1)[2:-2]
_STEPS_IN_BLOCK = 3


class Endless:
    """A reader whose trials repeat one block of events for as long as they are."""

    def __init__(self, steps: int) -> None:
        self._count = 2 + steps // _STEPS_IN_BLOCK * len(_BLOCK)

    def event_count(self, trial: int) -> int:
        return self._count

    def events(self, trial: int, first: int = 0, limit: int | None = None) -> list[Event]:
        end = self._count if limit is None else min(self._count, first + limit)
        head = builders.events(cycles=1)[:2]
        return [head[at] if at < 2 else _BLOCK[(at - 2) % len(_BLOCK)] for at in range(first, end)]


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def turns(seconds: float) -> float:
    """Let events be handled; the longest single turn."""
    until, longest, loop = time.perf_counter() + seconds, 0.0, QEventLoop()
    while time.perf_counter() < until:
        began = time.perf_counter()
        loop.processEvents()
        longest = max(longest, time.perf_counter() - began)
        time.sleep(0.0005)
    return longest


def lazy(steps: int) -> None:
    app = QApplication([])
    view = TraceView(Theme(app, "light"))
    view.resize(520, 640)
    view.show()
    turns(0.3)
    base = memory()
    trial = TrialRow(1, 1, "q", "?", 1, 0, 1, 0.0, Outcome.FINISHED, seconds=1.0)
    began = time.perf_counter()
    view.show_trial(trial, StoredTrace(Endless(steps), 1))
    view.tree.viewport().repaint()
    first = time.perf_counter() - began
    longest = turns(1.5)
    began = time.perf_counter()
    view.last_step()
    view.tree.viewport().repaint()
    last = time.perf_counter() - began
    turns(0.5)
    frames = []
    bar = view.tree.verticalScrollBar()
    for place in range(0, bar.maximum(), max(1, bar.maximum() // 60)):
        began = time.perf_counter()
        bar.setValue(place)
        view.tree.viewport().repaint()
        frames.append(time.perf_counter() - began)
    figures = (first, longest, last, median(frames) if frames else 0.0)
    shown = "".join(f"{1000 * figure:>14.1f}" for figure in figures)
    print(f"{steps:>11,} steps   {shown}{memory() - base:>14.1f}", flush=True)


def eager(steps: int) -> None:
    app = QApplication([])
    tree = QTreeView()
    tree.setUniformRowHeights(True)
    tree.resize(520, 640)
    tree.show()
    turns(0.3)
    base = memory()
    began = time.perf_counter()
    model = QStandardItemModel()
    root = QStandardItem("assistant")
    model.appendRow(root)
    for number in range(steps):
        step = QStandardItem(f"agent {number}")
        step.appendRow(QStandardItem("model"))
        root.appendRow(step)
    tree.setModel(model)
    tree.expand(root.index())
    tree.viewport().repaint()
    took = 1000 * (time.perf_counter() - began)
    print(f"{steps:>11,} steps, eager{took:>13.1f}{'':>42}{memory() - base:>14.1f}", flush=True)
    app.quit()


def main() -> None:
    if len(sys.argv) == 3:
        {"lazy": lazy, "eager": eager}[sys.argv[1]](int(sys.argv[2]))
        return
    heads = ("first paint", "longest turn", "to the last", "scroll frame", "MiB over")
    print(f"{'ms':<20}{''.join(f'{head:>14}' for head in heads)}")
    for steps in (12, 1_000, 100_000, 1_000_000):
        subprocess.run(
            [sys.executable, "-m", "tests.bench.ui_trace", "lazy", str(steps)], check=True
        )
    subprocess.run([sys.executable, "-m", "tests.bench.ui_trace", "eager", "100000"], check=True)


if __name__ == "__main__":
    main()
