"""The rows of a trace, folded from its events."""

import pytest

from studio.engine.events import (
    Event,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.ui.models.outline import ROOT, Kind, Outline, Row
from tests.ui import builders


def folded(events: list[Event], page: int = 1000) -> Outline:
    outline = Outline()
    for first in range(0, len(events), page):
        outline.feed(ROOT, first, events[first : first + page])
    return outline


def of_kind(outline: Outline, kind: Kind) -> list[Row]:
    return [row for row in outline.rows if row.kind is kind]


def shape(outline: Outline, number: int = ROOT) -> list[object]:
    return [
        (outline.rows[child].title, shape(outline, child))
        for child in outline.rows[number].children
    ]


def test_a_step_holds_its_model_call_and_a_tool_call_holds_its_result():
    outline = folded(builders.events(cycles=1))
    assert shape(outline) == [
        (
            "assistant",
            [
                ("agent", [("model", [])]),
                ("tools", [("get_metal_price", [("result", [])])]),
                ("agent", [("model", [])]),
            ],
        ),
        ("answer", []),
    ]


@pytest.mark.parametrize("page", [1, 2, 3, 7])
def test_the_rows_are_the_same_however_the_events_arrive(page: int):
    events = builders.events(cycles=3)
    assert folded(events, page).rows == folded(events).rows


def test_a_row_keeps_where_its_events_are():
    events = builders.events(cycles=3)
    for row in folded(events).rows[1:]:
        first = events[row.first]
        last = events[row.last] if row.last is not None else None
        match row.kind:
            case Kind.STEP:
                assert isinstance(first, StepStarted)
                assert isinstance(last, StepEnded)
            case Kind.MODEL:
                assert isinstance(first, ModelCalled)
                assert isinstance(last, ModelReplied)
            case Kind.TOOL:
                assert isinstance(first, ToolCalled)
                assert isinstance(last, ToolReturned)
            case Kind.RESULT:
                assert first is last is events[row.first]
            case _:
                assert isinstance(first, TrialEnded)


def test_a_call_with_the_name_and_arguments_of_an_earlier_one_is_marked():
    calls = of_kind(folded(builders.events(cycles=3)), Kind.TOOL)
    repeated = ["repeated call" in [badge.word for badge in row.badges] for row in calls]
    assert repeated == [False, True, False]


def test_what_went_wrong_is_a_problem_with_a_word():
    outline = folded(
        [
            TrialStarted(1, "q", "?", "v", 1),
            StepStarted(1, "s", None, "agent", 1),
            ModelCalled(1, "m", "s", "model", {}),
            ModelFailed(2, "m", "s", FailureClass.SERVER, "the server is gone", seconds=1),
            StepEnded(2, "s", "ServerError: gone"),
            TrialEnded(2, Outcome.FAILED, None, FailureClass.SERVER, "the server is gone"),
        ]
    )
    problems = [
        (row.title, [badge.word for badge in row.badges]) for row in outline.rows if row.is_problem
    ]
    assert problems == [("agent", ["error"]), ("model", ["server"]), ("no answer", ["failed"])]


def test_an_event_of_a_step_that_began_in_another_stretch_belongs_to_the_stretch():
    outline = Outline()
    outline.feed(ROOT, 0, [StepStarted(1, "s", None, "agent", 1)])
    later = outline.add_stretch(4096)
    outline.feed(
        later,
        4096,
        [
            ModelReplied(2, "m", "s", "hello"),
            ToolReturned(2, "c", "s", "12"),
            StepEnded(3, "s"),
            TrialEnded(3, Outcome.FINISHED, "hello"),
        ],
    )
    children = [outline.rows[child] for child in outline.rows[later].children]
    assert [row.title for row in children] == ["model", "result", "answer"]
    assert outline.rows[1].last is None


def test_a_payload_of_a_megabyte_leaves_a_short_row():
    outline = folded(
        [
            StepStarted(1, "s", None, "tools", 1),
            ToolCalled(1, "c", "s", "read", {"path": "x" * 1_000_000}),
            ToolReturned(1, "c", "s", "word " * 200_000),
        ]
    )
    assert all(len(row.title) + len(row.preview) + len(row.call) < 1000 for row in outline.rows)
