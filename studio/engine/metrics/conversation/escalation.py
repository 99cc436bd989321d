"""Hand-offs to a person: missed where one is required, made where none is."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import msgspec
from typing_extensions import override

from studio.engine.metrics.arguments import shown
from studio.engine.metrics.base import AnswerUnknown, Better, Metric, Verdict
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace
from studio.engine.unfit import unfit

_LONGEST = 20_000
"""Characters of a text that are looked at, from its end."""

_TOOL = re.compile(
    r"escalat|hand_?off|hand_?over|(?:transfer|connect|forward|route)_?(?:\w+_)?to_?(?:a_)?"
    r"(?:human|agent|person|operator|support|representative|specialist)",
    re.IGNORECASE,
)
_PERSON = (
    r"(?:(?:a|an|the|our|my|another|someone|one\sof\sour)\s)?(?:\w+\s){0,2}(?:humans?|agents?|persons?|"
    r"colleagues?|operators?|specialists?|representatives?|supervisors?|managers?|advisors?|team|"
    r"support)"
)
_MATTER = (
    r"(?:you|this|it|(?:your|the)\s(?:\w+\s)?(?:case|request|call|chat|conversation|matter|issue|"
    r"ticket|question|inquiry|complaint))"
)
_SAID = re.compile(
    r"\b(?:transfer(?:red|ring)?|connect(?:ed|ing)?|forward(?:ed|ing)?|refer(?:red|ring)?|put(?:ting)?|"
    rf"pass(?:ed|ing)?|hand(?:ed|ing)?|rout(?:e|ed|ing))\s{_MATTER}\s(?:directly\s|now\s|straight\s)?"
    rf"(?:over\s|on\s|through\s)?(?:to|with)\s{_PERSON}\b"
    rf"|\bescalat(?:e|ed|ing)\s{_MATTER}\b|\bhand(?:ed|ing)?\s{_MATTER}\sover\b"
    rf"|\b{_MATTER}\s(?:is|was|has\sbeen|is\sbeing)\s(?:escalated|handed\sover|transferred\sto)\b"
    rf"|\b{_PERSON}\swill\s(?:take\sover|contact\syou|be\sin\stouch|get\sback\sto|reach\sout|call\syou)\b"
    r"|\bget\s(?:you\s)?(?:a|an)\s(?:human|person|colleague)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?:\bnot|n['’]t|\bcannot|\bnever|\bno need to|\bunable to)\s(?:\w+\s){0,3}$", re.IGNORECASE
)
_OFFERED = re.compile(r"[^.!?]*\?")


class BadEscalation(ValueError):
    """What the query states of an escalation cannot be read; says what is wrong."""


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a hand-off is required; `tools` and `says` are by what it is known, if stated."""

    required: bool
    tools: tuple[str, ...] | None = None
    says: tuple[str, ...] | None = None


class HandOff(NamedTuple):
    """Whether there was a hand-off, and what shows it."""

    is_made: bool
    shown_by: str = ""


def wanted_by(query: Query) -> Wanted | None:
    """What the query states; None if it states nothing.  Raises BadEscalation."""
    return read_wanted(query.expected.more.get("escalation"))


def read_wanted(stated: Any) -> Wanted | None:
    """An escalation as a query states it: true, false, or an object.  Raises BadEscalation."""
    if stated is None:
        return None
    if isinstance(stated, bool):
        return Wanted(stated)
    try:
        return msgspec.convert(stated, Wanted)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise BadEscalation(f"escalation: {unfit(error)}") from None


def hand_off_in(trace: Trace, wanted: Wanted) -> HandOff:
    """Whether the agent handed the conversation over, by a call or by what it said.

    Raises AnswerUnknown.
    """
    for call in trace.tool_calls:
        is_one = _TOOL.search(call.name) if wanted.tools is None else call.name in wanted.tools
        if is_one:
            return HandOff(is_made=True, shown_by=f"it called {call.name}")
    for text in (*(reply.text for reply in trace.replies), trace.answer or ""):
        said = _said_in(" ".join(text[-_LONGEST:].split()), wanted)
        if said:
            return HandOff(is_made=True, shown_by=f"it said {shown(said)}")
    if not trace.is_answer_known:
        raise AnswerUnknown
    return HandOff(is_made=False)


def _said_in(text: str, wanted: Wanted) -> str:
    if wanted.says is not None:
        low = text.casefold()
        return next((each for each in wanted.says if each.strip() and each.casefold() in low), "")
    for found in _SAID.finditer(text):
        is_offer = _OFFERED.match(text, found.end()) is not None
        if not is_offer and not _TAKEN_BACK.search(
            text[max(0, found.start() - 40) : found.start()]
        ):
            return found[0]
    return ""


class EscalationMetric(Metric, frozen=True):
    """Base of the two rates; each counts only the trials that can show its fault."""

    is_binary: ClassVar[bool] = True
    better: ClassVar[Better] = "lower"
    reads: ClassVar[tuple[str, ...]] = ("escalation",)
    known_by: ClassVar[tuple[str, ...]] = ("escalated",)
    where_required: ClassVar[bool]

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            wanted = wanted_by(query)
        except BadEscalation as error:
            return Verdict(None, str(error))
        if wanted is None:
            return Verdict(
                None, "the query does not state whether to hand over (expected: escalation)"
            )
        return self._of(wanted, hand_off_in(trace, wanted))

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that says itself whether there was a hand-off (`escalated`)."""
        expected = case.get("expected")
        stated = expected.get("escalation") if isinstance(expected, Mapping) else None
        try:
            wanted = read_wanted(case.get("escalation_required", stated))
        except BadEscalation as error:
            return Verdict(None, str(error))
        if wanted is None or not isinstance(case["escalated"], bool):
            return Verdict(None, "the case must state escalation_required and escalated")
        return self._of(wanted, HandOff(case["escalated"], "as the case states it"))

    def _of(self, wanted: Wanted, hand_off: HandOff) -> Verdict:
        if wanted.required != self.where_required:
            needed = "a hand-off is required" if wanted.required else "no hand-off is required"
            return Verdict(None, f"{needed}, so this fault cannot be made")
        done = f"handed over: {hand_off.shown_by}" if hand_off.is_made else "not handed over"
        needed = "required" if wanted.required else "not required"
        is_fault = hand_off.is_made != wanted.required
        return Verdict(float(is_fault), f"{done}; {needed}", {"escalated": hand_off.is_made})


class MissedEscalation(EscalationMetric, frozen=True):
    """1 if a required hand-off was not made, 0 if it was; scored only where one is required.

    So the mean over a run is the missed-escalation rate.  Source: the course module.
    """

    name: ClassVar[str] = "missed_escalation"
    title: ClassVar[str] = "Missed escalation"
    where_required: ClassVar[bool] = True


class UnnecessaryEscalation(EscalationMetric, frozen=True):
    """1 if a hand-off was made for nothing, else 0; scored only where none is required.

    So the mean over a run is the unnecessary-escalation rate.  Source: the course module.
    """

    name: ClassVar[str] = "unnecessary_escalation"
    title: ClassVar[str] = "Unnecessary escalation"
    where_required: ClassVar[bool] = False
