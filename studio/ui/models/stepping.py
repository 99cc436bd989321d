"""Which row of a trace comes next when somebody steps through it."""

from collections.abc import Iterator

from studio.ui.models.outline import ROOT, Kind, Outline, Row
from studio.ui.models.tree import TraceTree


def neighbour(tree: TraceTree, current: int, *, back: bool = False) -> int | None:
    """The number of the next (or previous) row to halt at; None at the end of the trace."""
    return _nearest(tree, current, back=back, problems=False)


def next_problem(tree: TraceTree, current: int) -> int | None:
    """The next row with something wrong, or a stretch that has to be opened to know."""
    return _nearest(tree, current, back=False, problems=True)


def outermost(tree: TraceTree, *, last: bool) -> int | None:
    """The first or the last row to halt at."""
    rows = tree.outline.rows
    wanted = max if last else min
    halts = list(_halts(tree, problems=False))
    return wanted(halts, key=lambda number: rows[number].first) if halts else None


def holder(tree: TraceTree, event: int) -> int | None:
    """The row that holds an event: the call that it belongs to, or the last row begun before it.

    A stretch that nobody opened yet stands for what is in it.  None before the first row.
    """
    best: int | None = None
    rows = tree.outline.rows
    for number, row in enumerate(rows):
        if number == ROOT or row.first > event:
            continue
        if row.is_moment and event in (row.first, row.last):
            return number
        if best is None or row.first >= rows[best].first:
            best = number
    return best


def subject(outline: Outline, number: int) -> int:
    """The row whose details stand for a row: a leaf step's first call, a result's call."""
    row = outline.rows[number]
    if row.kind is Kind.RESULT and outline.rows[row.parent].kind is Kind.TOOL:
        return row.parent
    if row.kind is Kind.STEP:
        return next((each for each in row.children if outline.rows[each].is_moment), number)
    return number


def _nearest(tree: TraceTree, current: int, *, back: bool, problems: bool) -> int | None:
    rows = tree.outline.rows
    here = -1 if current == ROOT else rows[current].first
    best: int | None = None
    for number in _halts(tree, problems=problems):
        at = rows[number].first
        is_beyond = at < here if back else at > here
        if is_beyond and (best is None or (at > rows[best].first) == back):
            best = number
    return best


def _halts(tree: TraceTree, *, problems: bool) -> Iterator[int]:
    for number, row in enumerate(tree.outline.rows):
        if number != ROOT and (_is_halt(row, problems=problems) or tree.is_unread(number)):
            yield number


def _is_halt(row: Row, *, problems: bool) -> bool:
    return row.is_moment and (row.is_problem or not problems)
