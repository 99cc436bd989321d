"""What calls a good run makes, as a query states them in one of several ways."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from studio.engine.metrics.agentarch.truth import BadTruth, of_query
from studio.engine.metrics.arguments import same_value
from studio.engine.metrics.chain_spec import BadChain, Chain, chain_of
from studio.engine.records import ExpectedCall, Query

MAY_BE_LEFT_OUT = ""
"""Among acceptable values as BFCL writes them: the argument need not be given."""

_DROPPED = str.maketrans("", "", " ,./-_*^'")


class Wanted(NamedTuple):
    """A call that a good run makes: for each argument the values of which any one is right.

    `is_open`: other arguments may be given as well.  `is_loose`: as BFCL writes and compares
    them: MAY_BE_LEFT_OUT is a sign, and texts are taken without blanks, punctuation and case.
    """

    name: str
    arguments: Mapping[str, tuple[Any, ...]]
    is_open: bool = False
    is_loose: bool = False

    def accepts(self, key: str, value: Any, *, ignores_case: bool) -> bool:
        """Whether the value is right for this argument, which the call must have."""
        if self.is_loose:
            value = _loose(value)
        return any(
            same_value(value, _loose(each) if self.is_loose else each, ignore_case=ignores_case)
            for each in self.arguments[key]
        )

    def is_needed(self, key: str) -> bool:
        return not self.is_loose or MAY_BE_LEFT_OUT not in self.arguments[key]


def wanted_calls(query: Query) -> tuple[Wanted, ...] | None:
    """The calls that the query wants; () if it wants none, None if it says nothing of calls."""
    ways: tuple[Callable[[Query], tuple[Wanted, ...] | None], ...] = (
        _of_calls, _of_chain, _of_call, _of_bfcl, _of_agentarch,
    )  # fmt: skip
    return next((found for way in ways if (found := way(query)) is not None), None)


def forbidden_calls(query: Query) -> tuple[ExpectedCall, ...]:
    chain = _chain(query)
    return (chain.forbidden or ()) if chain else ()


def _of_calls(query: Query) -> tuple[Wanted, ...] | None:
    calls = query.expected.calls
    return None if calls is None else tuple(_exactly(call) for call in calls)


def _of_chain(query: Query) -> tuple[Wanted, ...] | None:
    chain = _chain(query)
    if chain is None or chain.required is None:
        return None
    return tuple(_exactly(call)._replace(is_open=True) for call in chain.required)


def _chain(query: Query) -> Chain | None:
    try:
        return chain_of(query)
    except BadChain:
        return None  # the metric of chains tells what is wrong with it


def _of_call(query: Query) -> tuple[Wanted, ...] | None:
    stated = query.expected.more.get("call")
    if not isinstance(stated, Mapping):
        return None
    wanted = _acceptable(stated.get("name"), stated.get("args"))
    return None if wanted is None else (wanted,)


def _of_bfcl(query: Query) -> tuple[Wanted, ...] | None:
    stated = query.expected.more.get("bfcl")
    if not isinstance(stated, Mapping):
        return None
    if "irrelevance" in str(stated.get("category", ""))[:100]:
        return ()
    answers = stated.get("ground_truth", stated.get("possible_answer"))
    if not isinstance(answers, list | tuple) or not answers:
        return None
    found = [
        _acceptable(*next(iter(answer.items())))
        for answer in answers
        if isinstance(answer, Mapping) and len(answer) == 1
    ]
    whole = [wanted for wanted in found if wanted is not None]
    return tuple(whole) if len(whole) == len(answers) else None


def _of_agentarch(query: Query) -> tuple[Wanted, ...] | None:
    """The tools that all accepted lists hold, each once, with the arguments that are stated."""
    try:
        found = of_query(query)
    except BadTruth:
        return None
    if found is None or found[0].tool_order is None:
        return None
    truth, _ = found
    arguments = truth.tool_args or {}
    order = dict.fromkeys(tool for each in truth.tool_order for tool in each)
    calls = (ExpectedCall(tool, arguments.get(tool, {})) for tool in order)
    needed = truth.required
    return tuple(_exactly(call)._replace(is_open=True) for call in calls if call.name in needed)


def _exactly(call: ExpectedCall) -> Wanted:
    return Wanted(call.name, {key: (value,) for key, value in call.arguments.items()})


def _acceptable(name: Any, arguments: Any) -> Wanted | None:
    if not isinstance(name, str) or not isinstance(arguments, Mapping | None):
        return None
    values = {
        str(key): tuple(each) if isinstance(each, list | tuple) else (each,)
        for key, each in (arguments or {}).items()
    }
    return Wanted(name, values, is_loose=True)


def _loose(value: Any) -> Any:
    return value.translate(_DROPPED).casefold() if isinstance(value, str) else value
