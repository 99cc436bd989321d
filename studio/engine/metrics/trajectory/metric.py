"""Whether the messages or the calls of a trial match a reference trajectory."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, get_args

import msgspec
from typing_extensions import override

from studio.engine.events import ModelReplied, ToolReturned, TrialStarted
from studio.engine.metrics.arguments import same_value
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.pairing import TooMany
from studio.engine.metrics.trajectory.match import (
    Arguments,
    Match,
    Override,
    fitting,
    is_symmetric,
    matches,
    matches_as_published,
    matches_simply,
)
from studio.engine.metrics.trajectory.messages import BadMessages, Call, Message, read_messages
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_MATCHES = {
    way: (
        Verdict(1.0, f"the trajectory matches the reference ({way})"),
        Verdict(0.0, f"the trajectory does not match the reference ({way})"),
    )
    for way in get_args(Match)
}
_LONGEST = 10_000


class TrajectoryMatch(Metric, frozen=True):
    """1 if the trajectory matches the reference in the way of `match` and `arguments`, else 0.

    The reference is the list of messages of `expected: trajectory`, or the expected calls; with
    these, `strict` means the same calls in the same order.

    Not scored: without a reference, and for messages that agentevals refuses, too.
    Source: agentevals 0.0.9, `create_trajectory_match_evaluator`.
    """

    name: ClassVar[str] = "trajectory_match"
    title: ClassVar[str] = "Trajectory match"
    version: ClassVar[str] = "2"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("trajectory",)
    known_by: ClassVar[tuple[str, ...]] = ("reference_outputs", "outputs")

    mode: Mode = "corrected"
    match: Match = "strict"
    arguments: Arguments = "exact"
    overrides: dict[str, Override] = msgspec.field(default_factory=dict)

    @override
    def __hash__(self) -> int:
        overrides = msgspec.json.encode(self.overrides)
        return hash((self.mode, self.match, self.arguments, overrides))

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        reference = query.expected.more.get("trajectory")
        if reference is not None:
            made = _messages_of(trace)
            try:
                return self._compared(made, read_messages(reference))
            except BadMessages as error:
                return Verdict(None, f"the reference cannot be read: {error}")
        if query.expected.calls is None:
            return Verdict(
                None, "the query states no trajectory and no calls (expected: trajectory, or calls)"
            )
        return self._compared(
            [_of_call(call.name, call.arguments) for call in trace.tool_calls],
            [_of_call(call.name, call.arguments) for call in query.expected.calls],
        )

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in agentevals' shape: outputs, reference_outputs, its modes."""
        if "outputs" not in case or "reference_outputs" not in case:
            return Verdict(None, "the case must have outputs and reference_outputs")
        metric = self
        if not _SETTINGS.isdisjoint(case):
            try:
                metric = _with_settings(self, case)
            except ValueError as error:
                return Verdict(None, str(error))
        twice = metric.match == "strict" and metric.mode == "published"
        try:
            made = read_messages(case["outputs"], twice=twice)
            wanted = read_messages(case["reference_outputs"], twice=twice)
        except BadMessages as error:
            return Verdict(None, f"the messages cannot be read: {error}")
        return metric._compared(made, wanted)

    def _compared(self, made: Sequence[Message], wanted: Sequence[Message]) -> Verdict:
        if max(len(made), len(wanted)) > _LONGEST:
            return Verdict(None, f"more than {_LONGEST:,} messages")
        right, wrong = _MATCHES[self.match]
        try:
            return right if self._is_match(made, wanted) else wrong
        except (TypeError, AttributeError, RecursionError, TooMany) as error:
            return Verdict(None, f"the calls cannot be compared: {error}")

    def _is_match(self, made: Sequence[Message], wanted: Sequence[Message]) -> bool:
        is_simple = is_symmetric(self.arguments, self.overrides)
        if self.mode == "published":
            fits = fitting(self.arguments, self.overrides)
            return matches_as_published(self.match, made, wanted, fits, both_ways=not is_simple)
        fits = fitting(self.arguments, self.overrides, same_value)
        return (matches_simply if is_simple else matches)(self.match, made, wanted, fits)


_THEIRS = ("trajectory_match_mode", "tool_args_match_mode", "tool_args_match_overrides")
_OURS = ("match", "arguments", "overrides")
_SETTINGS = frozenset((*_THEIRS, *_OURS))


def _with_settings(metric: TrajectoryMatch, case: JsonObject) -> TrajectoryMatch:
    """The metric with the settings that the case states.  Raises ValueError."""
    match, arguments, overrides = (
        case.get(theirs) or case.get(ours) for theirs, ours in zip(_THEIRS, _OURS, strict=True)
    )
    match, arguments = match or metric.match, arguments or metric.arguments
    if not overrides and not metric.overrides:
        return _kind(metric.mode, match, arguments)
    overrides = overrides or metric.overrides
    if not isinstance(overrides, dict):
        raise ValueError("the overrides must be an object: the name of a tool, and how")
    plain = _kind(metric.mode, match, arguments)
    return TrajectoryMatch(plain.mode, plain.match, plain.arguments, overrides)


def _kind(mode: Mode, match: Any, arguments: Any) -> TrajectoryMatch:
    for word, known in ((match, _MATCHES), (arguments, get_args(Arguments))):
        if not isinstance(word, str) or word not in known:
            raise ValueError(f"{word!r:.40} is none of: {', '.join(known)}")
    return _of_words(mode, match, arguments)


@lru_cache(maxsize=64)
def _of_words(mode: Mode, match: Match, arguments: Arguments) -> TrajectoryMatch:
    return TrajectoryMatch(mode, match, arguments)


def _of_call(name: str, arguments: Any) -> Message:
    return Message("assistant", (Call(name, arguments),))


def _messages_of(trace: Trace) -> list[Message]:
    """The conversation of a trial: the question, the replies, the results of the tools."""
    found = []
    for event in trace.outline:
        match event:
            case TrialStarted():
                found.append(Message("user"))
            case ModelReplied(calls=calls):
                made = tuple(Call(call.name, call.arguments) for call in calls)
                found.append(Message("assistant", made or None))
            case ToolReturned():
                found.append(Message("tool"))
    return found
