"""What was done, from a trial of a project: the same as from a trace of AgentArch."""

from typing import Any

from studio.engine.events import StepStarted, TrialStarted
from studio.engine.metrics.agentarch.done import BUILT_IN, THINKING, Call, Done
from studio.engine.metrics.agentarch.truth import BadTruth, Truth
from studio.engine.metrics.base import no_answer
from studio.engine.records import JsonObject
from studio.engine.trace import Trace


def of_trial(trace: Trace, truth: Truth, stated: JsonObject) -> Done:
    """What a trial of a project holds; only what the truth names is known to be an agent."""
    agents = _names(stated, "agents") or {a for each in truth.selections or () for a in each}
    named = truth.named
    calls = []
    for call in trace.tool_calls:
        result = trace.tool_results.get(call.call)
        is_own = call.name in named or call.name not in BUILT_IN + THINKING
        if call.name not in agents:
            content = None if result is None else result.content
            calls.append(Call(call.name, call.arguments, content, is_own))
    said = next((event.query for event in trace.outline if isinstance(event, TrialStarted)), "")
    return Done(
        calls,
        "" if no_answer(trace) else trace.answer,
        _offered(trace, _names(stated, "read_only")),
        _chosen(trace, agents) if truth.selections else None,
        agents,
        said,
    )


def _names(stated: JsonObject, key: str) -> set[str]:
    names = stated.get(key) or ()
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise BadTruth(f"{key} must be a list of names")
    return set(names)


def _offered(trace: Trace, read_only: set[str]) -> dict[str, Any] | None:
    """The tools as a use case describes them: one that only reads is said to, or retrieves."""
    if not trace.tools_offered:
        return None
    reading = read_only | {call.name for call in trace.tool_calls if call.is_retrieval}
    return {
        name: {
            "tool_type": "query" if name in reading else "modify",
            "input_parameters": schema.get("properties") or {},
        }
        for name, schema in trace.tools_offered.items()
    }


def _chosen(trace: Trace, agents: set[str]) -> list[str]:
    """The agents as they were called as tools; where none was, as their steps began."""
    called = [call.name for call in trace.tool_calls if call.name in agents]
    if called:
        return called
    started = (event for event in trace.outline if isinstance(event, StepStarted))
    return [step.node for step in started if step.node in agents]
