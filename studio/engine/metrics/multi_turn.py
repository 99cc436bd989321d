"""BFCL's checks of conversations of several turns, from results and states that were recorded.

BFCL runs the calls of the model and of the gold answer on backends of its own and compares what
comes of them.  Here nothing is run: a case holds what came of both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from typing_extensions import override

from studio.engine.metrics.arguments import same_value, shown
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_MOST_RESULTS = 2_000


class BadTurns(ValueError):
    """The turns cannot be read; says what is wrong."""


class Turn(NamedTuple):
    """What came of one turn; a state is `{class: {attribute: value}}`, None where not recorded."""

    results: list[Any]
    expected_results: list[Any]
    state: Mapping[str, Any] | None = None
    expected_state: Mapping[str, Any] | None = None
    has_calls: bool = True


class MultiTurn(Metric, frozen=True):
    """1 if every turn passes, else 0: calls were made, the state and the responses are right.

    State check: every public attribute of every class equals the gold one after the turn.
    Response check: the gold results of the turn are among all results so far, each as often as
    expected, in any order.  Turns in which the gold answer makes no call are not checked.

    `checks` restricts it to one of the two.  Not scored: if nothing was recorded to compare.
    Source: BFCL v3 and v4, `multi_turn_checker`.
    """

    name: ClassVar[str] = "bfcl_multi_turn"
    title: ClassVar[str] = "BFCL multi-turn"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("results",)
    known_by: ClassVar[tuple[str, ...]] = ("turns",)

    mode: Mode = "corrected"
    checks: Literal["all", "state", "response"] = "all"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        stated = query.expected.more.get("results")
        if not isinstance(stated, list | tuple):
            return Verdict(None, "the query states no results of tools (expected: results)")
        if self.checks == "state":
            return Verdict(None, "a trial records no state of its tools")
        results = [result.content for result in trace.tool_results.values()]
        return self._checked([Turn(results, list(stated), has_calls=bool(trace.tool_calls))])

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case with turns: results, expected_results, state, expected_state."""
        try:
            turns = [_turn(item, number) for number, item in enumerate(_list(case["turns"]), 1)]
            expected = case.get("expected_turns", len(turns))
        except BadTurns as error:
            return Verdict(None, str(error))
        if not turns:
            return Verdict(None, "the case has no turns")
        if expected != len(turns):
            words = f"{len(turns)} turns, {shown(expected)} expected"
            return Verdict(0.0, words, {"error_type": "multi_turn:force_terminated"})
        return self._checked(turns)

    def _checked(self, turns: Sequence[Turn]) -> Verdict:
        so_far: list[Any] = []
        if sum(len(turn.results) for turn in turns) > _MOST_RESULTS:
            return Verdict(None, f"more than {_MOST_RESULTS:,} results")
        for number, turn in enumerate(turns, 1):
            so_far += turn.results
            if not turn.expected_results:
                continue
            if not turn.has_calls:
                return _fault(number, "empty_turn_model_response", "no call was made")
            verdict = self._state(turn, number) or self._response(turn, so_far, number)
            if verdict is not None:
                return verdict
        return Verdict(1.0, f"right in all of {len(turns)} turns")

    def _state(self, turn: Turn, number: int) -> Verdict | None:
        if self.checks == "response" or turn.expected_state is None:
            return None
        if turn.state is None:
            return Verdict(None, f"turn {number}: the state was not recorded")
        for name, expected in turn.expected_state.items():
            differing = self._differing(expected, turn.state.get(name))
            if differing:
                words = f"{name} differs in {', '.join(map(str, differing[:5]))}"
                return _fault(number, "instance_state_mismatch", words)
        return None

    def _differing(self, expected: Any, state: Any) -> list[str]:
        if not isinstance(expected, Mapping) or not isinstance(state, Mapping):
            return [] if expected == state else ["everything"]
        keys = list(expected)
        if self.mode == "corrected":
            keys += [key for key in state if key not in expected]
        public = (key for key in keys if not str(key).startswith("_"))
        return [k for k in public if not self._is_same(expected, state, k)]

    def _is_same(self, expected: Mapping[str, Any], state: Mapping[str, Any], key: str) -> bool:
        if key not in state or key not in expected:
            return False
        if self.mode == "published":
            return bool(expected[key] == state[key])
        return same_value(expected[key], state[key])

    def _response(self, turn: Turn, so_far: Sequence[Any], number: int) -> Verdict | None:
        if self.checks == "state":
            return None
        left = list(so_far)
        for expected in turn.expected_results:
            place = next((p for p, each in enumerate(left) if self._equal(each, expected)), None)
            if place is None:
                words = f"no result is {shown(expected)}"
                return _fault(number, "execution_response_mismatch", words)
            del left[place]
        return None

    def _equal(self, one: Any, other: Any) -> bool:
        return bool(one == other) if self.mode == "published" else same_value(one, other)


def _fault(turn: int, kind: str, words: str) -> Verdict:
    evidence = {"error_type": f"multi_turn:{kind}", "turn": turn}
    return Verdict(0.0, f"turn {turn}: {words}", evidence)


def _turn(item: Any, number: int) -> Turn:
    if not isinstance(item, Mapping):
        raise BadTurns(f"turn {number} is no object")
    expected = item.get("expected_results", item.get("ground_truth"))
    if expected is None or item.get("results") is None:
        raise BadTurns(f"turn {number} must have results and expected_results")
    results = _flat(_list(item["results"]))
    made = item.get("calls", results)
    # A step without calls is none: BFCL's runner leaves it out.
    made = _flat(made) if isinstance(made, list) else made
    states = [item.get("state"), item.get("expected_state")]
    if not all(state is None or isinstance(state, Mapping) for state in states):
        raise BadTurns(f"turn {number}: a state must be an object")
    return Turn(results, _list(expected), states[0], states[1], has_calls=bool(made))


def _flat(results: list[Any]) -> list[Any]:
    """The results of all steps of a turn, which may be written step by step."""
    if results and all(isinstance(step, list) for step in results):
        return [result for step in results for result in step]
    return results


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadTurns("turns and results must be lists")
    return value
