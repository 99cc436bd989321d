"""What was done: the calls, the chosen agents and the final message, from a trace of AgentArch."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.agentarch.truth import BadTruth
from studio.engine.records import JsonObject

BUILT_IN = ("finish", "communicate_with_team", "communicate_with_agent")
THINKING = ("synthesize_collected_information", "math")

TRACES = ("trace", "record_history", "record_trace", "history")
_CONFIGS = ("usecase_config", "use_case_config", "use_case", "config")
_TOOLS = ("tools", "all_tools", "tool_configs")


class Call(NamedTuple):
    """A call of an agent; name and arguments as they were written, whatever that is."""

    name: Any
    arguments: Any
    result: Any = None
    is_custom: bool = True


class Done(NamedTuple):
    """What was done, and what could have been.

    `tools` are the tools of the use case as its configuration describes them (`tool_type`,
    `input_parameters`); None where they are not known.  `selections` are the agents that an
    orchestrator chose; None where there is none.  `final` is the final message, and `said` what
    the user said.
    """

    calls: Sequence[Call]
    final: Any
    tools: Mapping[Any, Any] | None
    selections: Sequence[Any] | None = None
    agents: Any = None
    said: str = ""
    is_thinking_allowed: bool = True

    @property
    def custom(self) -> list[Any]:
        """The names of the tools that were called, neither built-in nor for thinking."""
        return [call.name for call in self.calls if call.is_custom]


def of_case(case: JsonObject, record: JsonObject, *, is_published: bool) -> Done:
    """What the trace of a case holds, read as AgentArch reads it; whatever that raises."""
    tools, agents = _use_case(case)
    steps = condensed(next(case[key] for key in TRACES if key in case))
    has_orchestrator = any(agent == "orchestrator" for agent, _ in steps)
    mode = case.get("mode", "direct" if has_orchestrator else "single_agent")
    is_single = mode == "single_agent"
    calls: list[Call] = []
    selections: list[Any] = []
    final: Any = ""
    for place, (agent, what) in enumerate(steps, 1):
        if agent != "orchestrator":
            name, arguments, result = what
            if name == "finish" and is_single:
                final = arguments["message"] if is_published else _message(arguments)
            calls.append(Call(name, arguments, result, name not in BUILT_IN + THINKING))
            continue
        if isinstance(what, list):
            selections += [chosen["agent"] for chosen in what]
        if place == len(steps):
            final = what if isinstance(what, str) else ""
    said = record.get("user_utterance", case.get("user_utterance"))
    return Done(
        calls,
        final,
        tools,
        selections if has_orchestrator or not is_single else None,
        agents,
        said if isinstance(said, str) else "",
        case.get("thinking_tools_enabled") is not False,
    )


def _message(arguments: Any) -> Any:
    return arguments.get("message") if isinstance(arguments, dict) else None


def is_single(case: JsonObject, done: Done) -> bool:
    """Whether there is no orchestrator whose choices could be judged."""
    return bool(case.get("mode") == "single_agent" or done.selections is None)


def condensed(trace: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The steps as (agent, content), a call and its result brought together by its id."""
    steps: list[tuple[Any, Any]] = []
    places: dict[Any, int] = {}
    for step in trace:
        content, agent = step.get("content", {}), step.get("agent")
        if agent == "orchestrator":
            steps.append((agent, content))
            continue
        id = content.get("tool_call_id") if isinstance(content, dict) else None
        if not id:
            continue
        if id not in places:
            places[id] = len(steps)
            call = (content.get("tool_name"), content.get("tool_args", {}))
            steps.append((agent, (*call, content.get("tool_result"))))
        elif "tool_result" in content:
            known, (name, arguments, _) = steps[places[id]]
            steps[places[id]] = known, (name, arguments, content["tool_result"])
    return steps


def _use_case(case: JsonObject) -> tuple[dict[Any, Any] | None, Any]:
    """The tools by name and the agents of the use case; None for what the case does not hold."""
    config = next((case[key] for key in _CONFIGS if isinstance(case.get(key), Mapping)), case)
    agents = config.get("agents")
    listed = next((config[key] for key in _TOOLS if key in config), None)
    if not isinstance(agents, Mapping | list | None):
        raise BadTruth("the agents of the use case must be an object, or a list of their names")
    if listed is None and isinstance(agents, Mapping):
        listed = [tool for agent in agents.values() for tool in agent.get("tools") or ()]
    if isinstance(listed, Mapping):
        return dict(listed), agents
    return None if listed is None else {tool["tool_name"]: tool for tool in listed}, agents
