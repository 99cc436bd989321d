"""AgentArch's metrics of one record: each is a look at one of the facts."""

from typing import Any, ClassVar, Literal

from typing_extensions import override

from studio.engine.metrics.agentarch.facts import Facts
from studio.engine.metrics.agentarch.metric import AgentArchMetric
from studio.engine.metrics.base import Better, Verdict

_MOST_TOLD = 5

Choice = Literal["lenient", "strict"]


def _told(names: Any) -> str:
    listed = list(names)
    more = " and others" if len(listed) > _MOST_TOLD else ""
    return f"{', '.join(listed[:_MOST_TOLD])}{more}"


def _verdict(value: float | None, part: str, words: str, **evidence: Any) -> Verdict:
    if value is None:
        return Verdict(
            None, f"the ground truth states no {part}, or the case no tools to judge it by"
        )
    return Verdict(float(value), words, evidence)


def _problems(facts: Facts) -> str:
    """What is wrong with the choice of tools, in words."""
    parts = []
    if facts.missing:
        parts.append(f"not called: {_told(facts.missing)}")
    if facts.invented:
        parts.append(f"no such tool or agent: {_told(facts.invented)}")
    if facts.extraneous:
        parts.append(f"beyond the expected: {_told(facts.extraneous)}")
    return "; ".join(parts)


class AgentArchTools(AgentArchMetric, frozen=True):
    """1 if the right tools were called, else 0.

    Strict: exactly one of the accepted lists, in its order.  Lenient: that, or all tools that the
    accepted lists have in common, and beyond the accepted ones only tools that read.
    Corrected: and none that does not exist.
    """

    name: ClassVar[str] = "agentarch_tools"
    title: ClassVar[str] = "AgentArch tools"
    version: ClassVar[str] = "2"

    choice: Choice = "lenient"

    @override
    def of(self, facts: Facts) -> Verdict:
        is_right = facts.lenient if self.choice == "lenient" else facts.strict
        problems = _problems(facts) or "the order or the number of the calls differs"
        words = f"the tools are right ({self.choice})" if is_right else problems
        return _verdict(is_right, "tool_order", words, called=list(facts.called))


class AgentArchArguments(AgentArchMetric, frozen=True):
    """Right arguments / counted arguments (see `arguments`); 0 to 1."""

    name: ClassVar[str] = "agentarch_arguments"
    title: ClassVar[str] = "AgentArch arguments"
    is_binary: ClassVar[bool] = False

    @override
    def of(self, facts: Facts) -> Verdict:
        if facts.arguments is None:
            return Verdict(None, "the ground truth states no tool_args, or the case no tools")
        right, counted, wrong, left_out = facts.arguments
        if not counted and self.mode == "corrected":
            return Verdict(None, "no argument is expected of the tools that are required")
        words = f"{right} of {counted} arguments right"
        words += f"; wrong: {_told(wrong)}" if wrong else ""
        words += f"; not counted, as they could not be known: {_told(left_out)}" if left_out else ""
        return Verdict(right / counted if counted else 0.0, words, {"wrong": list(wrong)})


class AgentArchDecision(AgentArchMetric, frozen=True):
    """1 if the final message states the right decision, else 0."""

    name: ClassVar[str] = "agentarch_decision"
    title: ClassVar[str] = "AgentArch final decision"
    tells_success: ClassVar[bool] = True

    @override
    def of(self, facts: Facts) -> Verdict:
        does = "states" if facts.decision else "does not state"
        words = f"the final message {does} the right decision"
        return _verdict(facts.decision, "final_response", words)


class AgentArchAcceptable(AgentArchMetric, frozen=True):
    """1 if tools (`choice`), all arguments and the final decision are right, else 0.

    Strict: and no tool or agent was called that does not exist.
    """

    name: ClassVar[str] = "agentarch_acceptable"
    title: ClassVar[str] = "AgentArch acceptable"
    version: ClassVar[str] = "2"
    tells_success: ClassVar[bool] = True

    choice: Choice = "lenient"

    @override
    def of(self, facts: Facts) -> Verdict:
        tools = facts.lenient if self.choice == "lenient" else facts.strict
        if tools is None or facts.arguments is None or facts.decision is None:
            parts = "tool_order, tool_args and final_response"
            return Verdict(None, f"the ground truth must state {parts}, and the case its tools")
        right, counted, *_ = facts.arguments
        nothing_to_fail = not counted and self.mode == "corrected"
        holds = {
            "tools": tools,
            "arguments": nothing_to_fail or (counted > 0 and right == counted),
            "decision": facts.decision,
            "no hallucination": self.choice == "lenient" or not facts.invented,
        }
        wrong = [part for part, is_right in holds.items() if not is_right]
        words = f"wrong: {', '.join(wrong)}" if wrong else f"acceptable ({self.choice})"
        return Verdict(float(not wrong), words, {"wrong": wrong})


class AgentArchHallucination(AgentArchMetric, frozen=True):
    """1 if a tool or an agent was called that does not exist, else 0."""

    name: ClassVar[str] = "agentarch_hallucination"
    title: ClassVar[str] = "AgentArch hallucination"
    better: ClassVar[Better] = "lower"

    @override
    def of(self, facts: Facts) -> Verdict:
        if facts.invented is None:
            return Verdict(None, "the tools that were offered are not recorded")
        words = f"no such tool or agent: {_told(facts.invented)}" if facts.invented else ""
        words = words or "every tool and agent that was called exists"
        return Verdict(float(bool(facts.invented)), words, {"invented": list(facts.invented)})


class AgentArchRepetition(AgentArchMetric, frozen=True):
    """1 if a call equals the one just before it, by name and arguments, else 0."""

    name: ClassVar[str] = "agentarch_repetition"
    title: ClassVar[str] = "AgentArch tool repetition"
    better: ClassVar[Better] = "lower"

    @override
    def of(self, facts: Facts) -> Verdict:
        told = f"repeated: {_told(facts.repeated)}"
        words = told if facts.repeated else "no call equals the one before it"
        return Verdict(float(bool(facts.repeated)), words, {"repeated": list(facts.repeated)})


class AgentArchMissingTools(AgentArchMetric, frozen=True):
    """1 if a tool that all accepted lists hold was not called, else 0."""

    name: ClassVar[str] = "agentarch_missing_tools"
    title: ClassVar[str] = "AgentArch missing tools"
    better: ClassVar[Better] = "lower"

    @override
    def of(self, facts: Facts) -> Verdict:
        words = f"not called: {_told(facts.missing)}" if facts.missing else "none is missing"
        return _verdict(facts.is_missing, "tool_order", words, missing=list(facts.missing))


class AgentArchExtraneousTools(AgentArchMetric, frozen=True):
    """1 if a tool was called that no accepted list holds, also one that only reads, else 0."""

    name: ClassVar[str] = "agentarch_extraneous_tools"
    title: ClassVar[str] = "AgentArch extraneous tools"
    better: ClassVar[Better] = "lower"

    @override
    def of(self, facts: Facts) -> Verdict:
        extra = facts.extraneous
        words = f"beyond the expected: {_told(extra)}" if extra else "none is beyond the expected"
        return _verdict(facts.is_extraneous, "tool_order", words, extraneous=list(extra))


class AgentArchOptimalPath(AgentArchMetric, frozen=True):
    """1 if as many tools were called as the shortest way needs, else 0.

    Corrected: and none that is required is missing.
    """

    name: ClassVar[str] = "agentarch_optimal_path"
    title: ClassVar[str] = "AgentArch optimal path"

    @override
    def of(self, facts: Facts) -> Verdict:
        words = f"{len(facts.called)} calls"
        words += f"; not called: {_told(facts.missing)}" if facts.missing else ""
        return _verdict(facts.is_optimal, "min_custom_tool_number", words)


class AgentArchOrchestrator(AgentArchMetric, frozen=True):
    """1 if the orchestrator chose the agents of one accepted list, in its order, else 0.

    Not scored where a single agent does everything.
    """

    name: ClassVar[str] = "agentarch_orchestrator"
    title: ClassVar[str] = "AgentArch orchestrator"

    @override
    def of(self, facts: Facts) -> Verdict:
        if facts.is_orchestrated is None:
            return Verdict(None, "there is no orchestrator, or no agent_selections to hold it to")
        words = "as accepted" if facts.is_orchestrated else "other agents, or another order"
        return Verdict(float(facts.is_orchestrated), f"the agents chosen: {words}")
