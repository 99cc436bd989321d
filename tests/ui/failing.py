"""A run of which some trials did not pass, for the tests of the analysis page."""

from msgspec.structs import replace

from studio.engine.events import Event, ToolCalled, ToolReturned
from studio.engine.outcomes import FailureMode, Outcome
from studio.engine.records import Finding
from studio.engine.store.rows import TrialRow
from tests.ui import builders

LOOP = Finding(FailureMode.LOOP, "get_metal_price was called twice with the same arguments", 12)
WRONG = Finding(FailureMode.WRONG_ANSWER, "0.0029 is not among the numbers of the answer", 28)
TOOL = Finding(FailureMode.WRONG_TOOL, "get_currency_rate was called", 19)
NOT_OURS = Finding(FailureMode.NOT_THE_AGENT, "time-out", 5)


def trial(place: int, *, number: int = 1) -> TrialRow:
    """Of eight queries two loop (and answer wrongly), one takes the wrong tool, one times out.

    Query 5 fails without a finding; the other three pass.
    """
    row = replace(builders.trial(place, number=number), marks=())
    match place % 8:
        case 0 | 6:
            return _failed(row, LOOP, WRONG)
        case 3:
            return _failed(row, TOOL)
        case 5:
            return _failed(row)
        case 7:
            return replace(row, findings=(NOT_OURS,))
        case _:
            return row


def long_trace(calls: int) -> list[Event]:
    """One step that makes so many tool calls; the events of a call follow one another."""
    begun, end = builders.events(0, cycles=1)[:2], builders.events(0, cycles=1)[-2:]
    made: list[Event] = []
    for number in range(calls):
        made.append(ToolCalled(builders.START, f"c{number}", "root", "add", {"a": number}))
        made.append(ToolReturned(builders.START, f"c{number}", "root", str(number)))
    return [*begun, *made, *end]


def passing(place: int, *, number: int = 1) -> TrialRow:
    """A trial of any query that passes."""
    good, query = builders.trial(0, number=number), builders.trial(place, number=number)
    return replace(
        good, id=query.id, position=place, query_id=query.query_id, query=query.query,
        changed=query.changed,
    )  # fmt: skip


def _failed(row: TrialRow, *findings: Finding) -> TrialRow:
    scores = tuple(
        replace(each, value=0.0) if each.metric == "answer_contains" else each
        for each in row.scores
    )
    # Marks make the trace of `builders.events_of` a long one.
    return replace(
        row, scores=scores, findings=findings, marks=("repeated call",), outcome=Outcome.FINISHED
    )  # fmt: skip
