"""The rows of a trace: a fold over its events, one stretch of them at a time.

A step holds the model calls and tool calls made while it ran, a tool call holds its result, steps
hold steps.  A row keeps where its events are, not what they hold: a trace's payloads stay on disk
until somebody reads them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

import msgspec

from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialRetried,
    TrialStarted,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import JsonObject
from studio.engine.store.progress import RETRIED
from studio.ui.models.tone import Badge, Tone
from studio.ui.text import one_line

STRETCH = 4096
"""Events of a trace that are folded together; later stretches wait until they are opened."""
_PREVIEW = 200
ROOT = 0


class Kind(Enum):
    STRETCH = "stretch"
    STEP = "step"
    MODEL = "model"
    TOOL = "tool"
    RESULT = "result"
    ANSWER = "answer"
    RETRY = "retry"


@dataclass(slots=True)
class Row:
    """One row.  `first` and `last` are the positions of the events that began and ended it.

    `call` is the arguments of a tool call, `preview` what the row shows beside its title.
    """

    kind: Kind
    parent: int
    place: int
    first: int
    title: str
    preview: str = ""
    call: str = ""
    number: int = 0
    last: int | None = None
    at: float = 0.0
    seconds: float | None = None
    tokens: tuple[int | None, int | None] | None = None
    badges: tuple[Badge, ...] = ()
    is_problem: bool = False
    children: list[int] = field(default_factory=list)
    stretch: int = ROOT

    @property
    def is_moment(self) -> bool:
        """Whether stepping through the trace halts here."""
        return self.kind in {Kind.MODEL, Kind.TOOL, Kind.ANSWER}


class Outline:
    """All rows known so far.  Row 0 is the root, which is not shown."""

    def __init__(self) -> None:
        self.rows: list[Row] = [Row(Kind.STRETCH, -1, 0, 0, "")]
        self._steps: dict[tuple[int, str], int] = {}
        self._model_calls: dict[tuple[int, str], int] = {}
        self._tool_calls: dict[tuple[int, str], int] = {}
        self._made: set[int] = set()
        self._changed: set[int] = set()

    def add_stretch(self, first: int) -> int:
        """A row for the events from position `first` on, to be fed when it is opened."""
        row = Row(Kind.STRETCH, ROOT, 0, first, "", stretch=len(self.rows))
        return self._add(row)

    def feed(self, stretch: int, first: int, events: Iterable[Event]) -> set[int]:
        """Fold `events`, which stand from position `first` on, into the stretch.

        Returns the rows, known before or new, that are not as they were.
        """
        self._changed = set()
        for position, event in enumerate(events, first):
            self._take(stretch, position, event)
        return self._changed

    def _take(self, stretch: int, position: int, event: Event) -> None:
        match event:
            case TrialStarted():
                pass
            case TrialRetried():
                self._add(_retry(stretch, position, event))
            case StepStarted() | StepEnded():
                self._take_step(stretch, position, event)
            case ModelCalled() | ModelReplied() | ModelFailed():
                self._take_model_call(stretch, position, event)
            case ToolCalled() | ToolReturned():
                self._take_tool_call(stretch, position, event)
            case TrialEnded():
                self._add(_answer(stretch, position, event))
            case _:
                assert_never(event)

    def _take_step(self, stretch: int, position: int, event: StepStarted | StepEnded) -> None:
        if isinstance(event, StepEnded):
            self._end_step(stretch, position, event)
            return
        parent = self._home(stretch, event.parent)
        row = Row(Kind.STEP, parent, 0, position, one_line(event.node, 80), number=event.number)
        row.at, row.stretch = event.at, stretch
        self._steps[stretch, event.step] = self._add(row)

    def _end_step(self, stretch: int, position: int, event: StepEnded) -> None:
        number = self._steps.get((stretch, event.step))
        if number is None:  # it began in another stretch
            return
        row = self.rows[number]
        row.last, row.seconds = position, event.at - row.at
        if event.error is not None:
            row.preview = one_line(event.error, _PREVIEW)
            row.badges += (Badge("error", Tone.BAD),)
            row.is_problem = True
        self._changed.add(number)

    def _take_model_call(
        self, stretch: int, position: int, event: ModelCalled | ModelReplied | ModelFailed
    ) -> None:
        if not isinstance(event, ModelCalled):
            self._end_model_call(stretch, position, event)
            return
        row = Row(Kind.MODEL, self._home(stretch, event.step), 0, position, "model")
        row.at, row.stretch = event.at, stretch
        self._model_calls[stretch, event.call] = self._add(row)

    def _end_model_call(
        self, stretch: int, position: int, event: ModelReplied | ModelFailed
    ) -> None:
        number = self._model_calls.get((stretch, event.call))
        if number is None:
            home = self._home(stretch, event.step)
            number = self._add(Row(Kind.MODEL, home, 0, position, "model", stretch=stretch))
        row = self.rows[number]
        row.last, row.seconds = position, event.seconds
        if isinstance(event, ModelFailed):
            row.preview = one_line(event.message, _PREVIEW)
            row.badges = (Badge(event.failure.value, Tone.BAD),)
            row.is_problem = True
        else:
            row.preview = _reply_preview(event)
            row.tokens = (event.prompt_tokens, event.reply_tokens)
            words = dict.fromkeys((*_origins(event.calls), *event.marks))
            row.badges = tuple(Badge(one_line(word, 40), Tone.MARK) for word in words)
            row.is_problem = bool(event.marks)
        self._changed.add(number)

    def _take_tool_call(
        self, stretch: int, position: int, event: ToolCalled | ToolReturned
    ) -> None:
        if isinstance(event, ToolReturned):
            self._end_tool_call(stretch, position, event)
            return
        row = Row(
            Kind.TOOL,
            self._home(stretch, event.step),
            0,
            position,
            one_line(event.name, 80),
            one_line(arguments_text(event.arguments), _PREVIEW),
        )
        row.call, row.at, row.stretch = row.preview, event.at, stretch
        if event.origin != "native":
            row.badges += (Badge(one_line(event.origin, 40), Tone.MARK),)
        key = hash((event.name, msgspec.json.encode(event.arguments, order="sorted")))
        if key in self._made:
            row.badges += (Badge("repeated call", Tone.BAD),)
            row.is_problem = True
        self._made.add(key)
        self._tool_calls[stretch, event.call] = self._add(row)

    def _end_tool_call(self, stretch: int, position: int, event: ToolReturned) -> None:
        number = self._tool_calls.get((stretch, event.call))
        title = "result" if event.error is None else "error"
        parent = self._home(stretch, event.step) if number is None else number
        result = Row(Kind.RESULT, parent, 0, position, title, one_line(event.content, _PREVIEW))
        result.last, result.stretch, result.at = position, stretch, event.at
        if event.error is not None:
            result.badges = (Badge(one_line(event.error, 40), Tone.BAD),)
        self._add(result)
        if number is not None:
            call = self.rows[number]
            call.last, call.seconds = position, event.seconds
            call.badges += result.badges
            call.preview = f"{call.preview} → {result.preview}"
            call.is_problem = call.is_problem or event.error is not None
            self._changed.add(number)

    def _home(self, stretch: int, step: str | None) -> int:
        """The row under which something of `step` belongs: its own, or the stretch."""
        return stretch if step is None else self._steps.get((stretch, step), stretch)

    def _add(self, row: Row) -> int:
        number = len(self.rows)
        siblings = self.rows[row.parent].children
        row.place = len(siblings)
        siblings.append(number)
        self.rows.append(row)
        self._changed.update((number, row.parent))
        return number


def arguments_text(arguments: JsonObject) -> str:
    """Arguments on one line, as a call is written: `metal="zinc", weight=2`."""
    parts = (f"{name}={_literal(value)}" for name, value in arguments.items())
    return ", ".join(parts)


def call_text(name: str, arguments: JsonObject) -> str:
    return f"{name}({arguments_text(arguments)})"


def _literal(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _origins(calls: Iterable[CallMade]) -> list[str]:
    return [call.origin for call in calls if call.origin != "native"]


def _reply_preview(reply: ModelReplied) -> str:
    if reply.calls:
        calls = " ".join(call_text(call.name, call.arguments) for call in reply.calls[:4])
        return one_line(calls, _PREVIEW)
    return one_line(reply.text or reply.thinking, _PREVIEW)


def _retry(stretch: int, position: int, event: TrialRetried) -> Row:
    preview = one_line(f"{event.server}: {event.reason}", _PREVIEW)
    row = Row(Kind.RETRY, stretch, 0, position, "tried before", preview, last=position)
    row.at, row.stretch, row.badges = event.at, stretch, (Badge(RETRIED, Tone.MARK),)
    return row


def _answer(stretch: int, position: int, event: TrialEnded) -> Row:
    is_finished = event.outcome is Outcome.FINISHED
    title = "answer" if event.answer is not None else "no answer"
    preview = one_line(event.answer or event.reason, _PREVIEW)
    row = Row(Kind.ANSWER, stretch, 0, position, title, preview, last=position)
    row.at, row.seconds, row.stretch = event.at, event.seconds, stretch
    if not is_finished:
        row.badges = (Badge(event.outcome.value, Tone.BAD),)
        row.is_problem = True
    elif event.answer is None:
        row.is_problem = True
    return row
