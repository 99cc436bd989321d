"""Does the agent notice its own mistake, and put it right?"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from typing_extensions import override

from studio.engine.events import ModelReplied, ToolCalled, ToolReturned, TrialEnded
from studio.engine.metrics.arguments import same_value, shown_call
from studio.engine.metrics.base import Metric, Verdict
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    JsonObject,
    Query,
)
from studio.engine.trace import Trace
from studio.engine.unfit import unfit

_FAILED = re.compile(
    r"\s*[\"'{\[(]*\s*(?:error|exception|traceback|failed|failure)\b", re.IGNORECASE
)
_NOTICED = re.compile(
    r"\b(?:errors?|mistaken?|wrong(?:ly)?|incorrect(?:ly)?|failed|failure|invalid|oops|apolog\w+|"
    r"sorry|correct(?:ion|ed|ing)|try again|retry|retrying|another way|instead|not found|"
    r"unable|cannot|could not|couldn['’]t|did(?: not|n['’]t) work|should have|misread|overlooked|"
    r"on reflection|let me (?:fix|check|re\w+)|actually)\b",
    re.IGNORECASE,
)
_MOST_TOLD = 3

Reaction = Literal["corrected", "noticed", "missed"]
_WORTH: dict[Reaction, float] = {"corrected": 1.0, "noticed": 0.5, "missed": 0.0}


class BadReflection(ValueError):
    """What the query states of a mistake cannot be read; says what is wrong."""


class Wrong(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mistake that the query names.

    `call` is the number of the wrong call (from 1), or `tool` its name with the `arguments` that
    it must have to be the wrong one.  `fix` are the arguments that put it right; without them any
    other call of the tool does.
    """

    call: Annotated[int, msgspec.Meta(ge=1)] | None = None
    tool: str | None = None
    arguments: JsonObject = {}
    fix: JsonObject | None = None


class Stated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands below `expected: reflection`."""

    failure_point: Wrong | int | str


class Mistake(NamedTuple):
    """A call that went wrong; `place` is where in the events it shows."""

    call: ToolCalled
    place: int
    is_error: bool
    fix: JsonObject | None = None


class ReflectionScore(Metric, frozen=True):
    """The mean over the mistakes: 1 if noticed and put right, 0.5 if only noticed, 0 else.

    A mistake is the call that the query names (`expected: reflection`), or each call that came
    back with an error.  Range 0 to 1.  Not scored: where there is no mistake to be noticed.
    Source: the second guide; the definition is the studio's own, as the guide gives none.
    """

    name: ClassVar[str] = "reflection_score"
    title: ClassVar[str] = "Reflection score"
    reads: ClassVar[tuple[str, ...]] = ("reflection",)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            mistakes = _mistakes(query.expected.more.get("reflection"), trace)
        except BadReflection as error:
            return Verdict(None, str(error))
        if not mistakes:
            return Verdict(None, "no call went wrong, so there was nothing to notice")
        reactions = [_reaction(mistake, trace) for mistake in mistakes]
        value = sum(_WORTH[reaction] for reaction in reactions) / len(reactions)
        told = "; ".join(
            f"{reaction}: {shown_call(mistake.call.name, mistake.call.arguments)}"
            for mistake, reaction in list(zip(mistakes, reactions, strict=True))[:_MOST_TOLD]
        )
        evidence = {"events": [mistake.place for mistake in mistakes], "reactions": reactions}
        return Verdict(value, told, evidence)


def _mistakes(stated: Any, trace: Trace) -> list[Mistake]:
    if stated is None:
        return [mistake for mistake in _calls(trace) if mistake.is_error]
    try:
        point = msgspec.convert(stated, Stated).failure_point
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise BadReflection(f"reflection: {unfit(error)}") from None
    if isinstance(point, int):
        point = _numbered(point)
    wrong = Wrong(tool=point) if isinstance(point, str) else point
    if wrong.call is None and wrong.tool is None:
        raise BadReflection("reflection: failure_point must name a call or a tool")
    found = (each for number, each in enumerate(_calls(trace), 1) if _is_it(each, number, wrong))
    first = next(found, None)
    return [] if first is None else [first._replace(fix=wrong.fix)]


def _numbered(call: int) -> Wrong:
    if call < 1:
        raise BadReflection("reflection: calls are counted from 1")
    return Wrong(call=call)


def _is_it(mistake: Mistake, number: int, wrong: Wrong) -> bool:
    made = mistake.call
    return (
        wrong.call in (None, number)
        and wrong.tool in (None, made.name)
        and all(
            key in made.arguments and same_value(made.arguments[key], value)
            for key, value in wrong.arguments.items()
        )
    )


def _calls(trace: Trace) -> list[Mistake]:
    """Every call, with the place of its result (or of itself where none came back)."""
    returned = {
        event.call: (place, event)
        for place, event in enumerate(trace.events)
        if isinstance(event, ToolReturned)
    }
    calls = []
    for place, event in enumerate(trace.events):
        if isinstance(event, ToolCalled):
            at, result = returned.get(event.call, (place, None))
            calls.append(Mistake(event, at, result is not None and _is_error(result)))
    return calls


def _is_error(result: ToolReturned) -> bool:
    """Whether a call failed, by its record or by a result that begins by saying so."""
    return result.error is not None or _FAILED.match(result.content) is not None


def _reaction(mistake: Mistake, trace: Trace) -> Reaction:
    later = [each for each in _calls(trace) if each.place > mistake.place]
    again = [each for each in later if each.call.name == mistake.call.name]
    if any(_puts_right(each, mistake) for each in again):
        return "corrected"
    is_other = any(each.call.arguments != mistake.call.arguments for each in again)
    return "noticed" if is_other or _says_so(trace, mistake.place) else "missed"


def _puts_right(again: Mistake, mistake: Mistake) -> bool:
    """Whether a later call of the tool went well: as stated, or otherwise than the first."""
    if again.is_error:
        return False
    made = again.call.arguments
    if mistake.fix is not None:
        return all(k in made and same_value(made[k], v) for k, v in mistake.fix.items())
    return mistake.is_error or not same_value(made, mistake.call.arguments)


def _says_so(trace: Trace, place: int) -> bool:
    return any(_NOTICED.search(text) for text in _texts(trace.events[place + 1 :]))


def _texts(events: Sequence[Any]) -> list[str]:
    texts = []
    for event in events:
        match event:
            case ModelReplied():
                texts += [event.text, event.thinking]
            case TrialEnded(outcome=Outcome.FINISHED, answer=str(answer)):
                texts.append(answer)
            case _:
                pass
    return texts
