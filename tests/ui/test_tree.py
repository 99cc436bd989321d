"""The item model of a trace, watched by Qt's own tester."""

from collections.abc import Sequence
from itertools import count

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from studio.engine.errors import StoreError
from studio.engine.events import Event, ToolCalled, ToolReturned
from studio.ui.models.outline import ROOT, STRETCH, Kind
from studio.ui.models.stepping import holder, neighbour, next_problem, outermost
from studio.ui.models.tree import TraceTree
from tests.ui import builders, failing


class Told:
    """A trace in memory, of which `known` events are there so far."""

    def __init__(self, events: Sequence[Event], known: int | None = None) -> None:
        self.all = list(events)
        self.known = len(self.all) if known is None else known
        self.asked: list[tuple[int, int]] = []

    def count(self) -> int:
        return self.known

    def events(self, first: int, limit: int) -> list[Event]:
        self.asked.append((first, limit))
        return self.all[first : min(first + limit, self.known)]


@pytest.fixture
def tree(qtbot: QtBot) -> TraceTree:
    made = TraceTree()
    tester = QAbstractItemModelTester(
        made, QAbstractItemModelTester.FailureReportingMode.Fatal, made
    )
    assert tester.parent() is made
    return made


def lines(tree: TraceTree, parent: QModelIndex | None = None, depth: int = 0) -> list[str]:
    parent = parent or QModelIndex()
    found = []
    for place in range(tree.rowCount(parent)):
        index = tree.index(place, 0, parent)
        found.append("  " * depth + tree.row(index).title)
        found += lines(tree, index, depth + 1)
    return found


def show(qtbot: QtBot, tree: TraceTree, source: Told) -> None:
    with qtbot.waitSignal(tree.rested):
        tree.show(source)


def test_the_first_rows_are_there_when_a_trace_was_shown(tree: TraceTree, qtbot: QtBot):
    tree.show(Told(builders.events(cycles=200)))
    assert tree.rowCount() == 1


def test_a_trace_that_grows_gains_the_rows_of_its_new_events(tree: TraceTree, qtbot: QtBot):
    whole = Told(builders.events(cycles=3))
    show(qtbot, tree, whole)
    wanted = lines(tree)
    growing = Told(builders.events(cycles=3), known=1)
    show(qtbot, tree, growing)
    for known in range(1, len(growing.all) + 1):
        growing.known = known
        with qtbot.waitSignal(tree.rested):
            tree.follow()
    assert lines(tree) == wanted


def test_another_trace_replaces_the_rows(tree: TraceTree, qtbot: QtBot):
    show(qtbot, tree, Told(builders.events(cycles=3)))
    show(qtbot, tree, Told(builders.events(cycles=1)))
    assert len(lines(tree)) == 9
    tree.show(None)
    assert tree.rowCount() == 0


def test_a_long_trace_reads_only_its_first_stretch(qtbot: QtBot):
    tree = TraceTree()
    events = builders.events(cycles=1500)
    source = Told(events)
    show(qtbot, tree, source)
    assert max(first + limit for first, limit in source.asked) <= STRETCH
    stretches = [row for row in tree.outline.rows[1:] if row.kind is Kind.STRETCH]
    assert [row.first for row in stretches] == list(range(STRETCH, len(events), STRETCH))


def test_a_later_stretch_is_read_when_it_is_opened(qtbot: QtBot):
    tree = TraceTree()
    show(qtbot, tree, Told(builders.events(cycles=1500)))
    last = tree.index(tree.rowCount() - 1, 0)
    assert tree.hasChildren(last)
    assert tree.rowCount(last) == 0
    with qtbot.waitSignal(tree.rested):
        tree.fetchMore(last)
    assert tree.row(tree.index(tree.rowCount(last) - 1, 0, last)).kind is Kind.ANSWER
    assert not tree.canFetchMore(last)


def test_stepping_halts_at_calls_and_the_answer_and_comes_back(tree: TraceTree, qtbot: QtBot):
    show(qtbot, tree, Told(builders.events(cycles=2)))
    there, at = [], neighbour(tree, ROOT)
    while at is not None:
        there.append(at)
        at = neighbour(tree, at)
    titles = [tree.outline.rows[number].title for number in there]
    assert titles == ["model", "get_metal_price", "model", "get_metal_price", "model", "answer"]
    back, at = [there[-1]], neighbour(tree, there[-1], back=True)
    while at is not None:
        back.append(at)
        at = neighbour(tree, at, back=True)
    assert back == there[::-1]
    assert outermost(tree, last=False) == there[0]
    assert outermost(tree, last=True) == there[-1]


def test_the_next_problem_skips_what_is_well(tree: TraceTree, qtbot: QtBot):
    show(qtbot, tree, Told(builders.events(cycles=3)))
    first = next_problem(tree, ROOT)
    assert first is not None
    assert "repeated call" in [badge.word for badge in tree.outline.rows[first].badges]
    second = next_problem(tree, first)
    assert second is not None
    assert "unknown tool" in [badge.word for badge in tree.outline.rows[second].badges]
    assert next_problem(tree, second) is None


def test_an_event_leads_to_the_call_that_holds_it(tree: TraceTree, qtbot: QtBot):
    events = builders.events(cycles=2)
    show(qtbot, tree, Told(events))
    for kind in (ToolCalled, ToolReturned):
        event = next(at for at, each in enumerate(events) if isinstance(each, kind))
        number = holder(tree, event)
        assert number is not None
        assert tree.outline.rows[number].kind is Kind.TOOL
    end = holder(tree, len(events) - 1)
    assert end is not None
    assert tree.outline.rows[end].kind is Kind.ANSWER
    assert holder(tree, 0) is None, "the beginning of a trial has no row"


def test_an_event_deep_in_a_long_trace_leads_to_the_stretch_that_nobody_opened(qtbot: QtBot):
    tree = TraceTree()
    source = Told(failing.long_trace(STRETCH))
    show(qtbot, tree, source)
    number = holder(tree, STRETCH + 10)
    assert number is not None
    assert tree.is_unread(number)
    with qtbot.waitSignal(tree.rested):
        tree.fetchMore(tree.at(number))
    inside = holder(tree, STRETCH + 10)
    assert inside is not None
    assert tree.outline.rows[inside].kind is not Kind.STRETCH


def test_a_trace_that_cannot_be_read_says_why(tree: TraceTree, qtbot: QtBot):
    class Broken(Told):
        def events(self, first: int, limit: int) -> list[Event]:
            raise StoreError("The runs are damaged.", "Restore a backup.")

    with qtbot.waitSignal(tree.failed) as failed:
        tree.show(Broken([]))
    assert failed.args == ["The runs are damaged. Restore a backup."]


def test_pages_shrink_while_payloads_are_slow_to_read(qtbot: QtBot):
    clock = count()
    tree = TraceTree(clock=lambda: float(next(clock)))
    source = Told(builders.events(cycles=40))
    show(qtbot, tree, source)
    limits = [limit for _, limit in source.asked]
    assert limits[0] == 32
    assert min(limits) == 4
