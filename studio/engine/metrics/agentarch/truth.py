"""What a record of AgentArch, or a query of a project, states of a good run."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from studio.engine.records import JsonObject, Query

_PARTS = ("tool_order", "tool_args", "final_response", "min_custom_tool_number", "orchestrator")
_MORE = ("possible_final_outcomes", "read_only", "agents")


class BadTruth(ValueError):
    """What is stated cannot be read; says what is wrong."""


class Truth(NamedTuple):
    """The ground truth of one record, in the benchmark's words; None is what is not stated.

    `tool_order` holds the lists of tools, any one of which is right; `tool_args` the expected
    arguments by tool; `final_response` the phrase that the final message must hold;
    `possible_final_outcomes` all phrases of which it is one; `selections` the lists of agents that
    an orchestrator may choose.
    """

    tool_order: Any = None
    tool_args: Any = None
    final_response: Any = None
    fewest: Any = None
    selections: Any = None
    possible_final_outcomes: tuple[str, ...] = ()

    @property
    def named(self) -> set[Any]:
        """Every tool that some accepted list holds."""
        return {tool for order in self.tool_order or () for tool in order}

    @property
    def harmless(self) -> set[Any]:
        """The tools that *lenient* lets pass whatever they do; a flat list holds names here."""
        orders = (order if isinstance(order, list) else [order] for order in self.tool_order or ())
        return {tool for order in orders for tool in order}

    @property
    def required(self) -> set[Any]:
        """The tools that all accepted lists hold."""
        if self.tool_order is None:
            return set(self.tool_args or ())
        orders = [set(order) for order in self.tool_order]
        return orders[0].intersection(*orders[1:]) if orders else set()


def stated_in(ground_truth: Any, outcomes: Any, *, is_whole: bool) -> Truth:
    """The ground truth of a record.  Raises BadTruth, and KeyError for a part that is missing.

    `is_whole` says that no part may be missing, as for the published grader.
    """
    if not isinstance(ground_truth, Mapping):
        raise BadTruth("the ground truth must be an object")
    if is_whole:
        for part in _PARTS:
            ground_truth[part]
    orchestrator = ground_truth.get("orchestrator") or {}
    return Truth(
        ground_truth.get("tool_order"),
        ground_truth.get("tool_args"),
        ground_truth.get("final_response"),
        ground_truth.get("min_custom_tool_number"),
        orchestrator["agent_selections"] if is_whole else orchestrator.get("agent_selections"),
        tuple(text for text in outcomes or () if isinstance(text, str)),
    )


def corrected(truth: Truth) -> Truth:
    """The same with one list among lists where a flat list is given; raises BadTruth."""
    orders = _lists(truth.tool_order, "tool_order")
    if truth.tool_args is not None and not _is_by_tool(truth.tool_args):
        raise BadTruth("tool_args must hold an object of arguments for each tool")
    if truth.final_response is not None and not _is_phrase(truth.final_response):
        raise BadTruth("final_response must be a text")
    fewest = truth.fewest
    if fewest is None and orders:
        fewest = min(map(len, orders))
    selections = _lists(truth.selections, "agent_selections")
    return truth._replace(tool_order=orders, fewest=fewest, selections=selections)


def _is_by_tool(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(v, Mapping) for v in value.values())


def _is_phrase(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _lists(value: Any, name: str) -> list[list[str]] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise BadTruth(f"{name} must be a list of lists of names")
    if all(isinstance(item, str) for item in value):
        return [list(value)] if value else []
    if not all(isinstance(each, list | tuple) for each in value):
        raise BadTruth(f"{name} must be a list of lists of names")
    if not all(isinstance(name, str) for each in value for name in each):
        raise BadTruth(f"{name} must hold names")
    return [list(each) for each in value]


def of_query(query: Query) -> tuple[Truth, JsonObject] | None:
    """The truth that a query states, with the whole statement; None if it states none.

    Expected calls stand for one accepted list of tools and their arguments.  Raises BadTruth.
    """
    stated = query.expected.more.get("agentarch")
    calls = query.expected.calls
    if stated is None and calls is None:
        return None
    stated = {} if stated is None else stated
    if not isinstance(stated, Mapping):
        raise BadTruth("agentarch must be an object")
    for key in stated:
        if key not in (*_PARTS, *_MORE):
            raise BadTruth(f"agentarch has no {key!r:.40}; there are {', '.join(_PARTS + _MORE)}")
    if calls is not None:
        order = [[call.name for call in calls]]
        # Of several calls of one tool, the benchmark can expect the arguments of none.
        once = [call for call in calls if order[0].count(call.name) == 1]
        arguments = {call.name: call.arguments for call in once}
        stated = {"tool_order": order, "tool_args": arguments, **stated}
    truth = stated_in(stated, stated.get("possible_final_outcomes"), is_whole=False)
    return corrected(truth), stated
