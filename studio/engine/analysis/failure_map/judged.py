"""Which of the rules that a trial had to hold failed, and what they are about."""

from collections.abc import Sequence
from typing import NamedTuple

from studio.engine.analysis.passing import Tried

OF_CALLS = frozenset(
    """tool_call_accuracy ragas_tool_call_accuracy ragas_tool_call_f1 call_match argument_accuracy
    arguments_valid bfcl_ast acebench_normal trajectory_match bfcl_multi_turn chain_check
    tool_use_correctness agentarch_acceptable agentarch_tools agentarch_arguments
    agentarch_orchestrator agentarch_missing_tools agentarch_optimal_path""".split()
)
"""Metrics whose verdict is about the calls."""

OF_ANSWERS = frozenset(
    """answer_contains number_in_answer answer_pattern exact_match gaia_match agentic_match
    multiple_choice required_outputs simpleqa_grade ifeval ifbench agentarch_decision""".split()
)
"""Metrics whose verdict is about the answer."""

OF_THE_WHOLE = frozenset("checklist composite_passed".split())
"""Metrics whose verdict is about all of a trial: they blame neither calls nor answer."""


class Judged(NamedTuple):
    """How the rules went, by what they are about; None where no such rule was tried.

    `calls_are_right`: they are all that the rules can ask for, not just good enough to pass.
    """

    calls_hold: bool | None
    calls_are_right: bool
    answer_holds: bool | None
    whole_holds: bool | None


def judged(tried: Sequence[Tried]) -> Judged:
    """A rule about something else, such as a limit on steps, counts for passing alone."""

    def about(which: frozenset[str]) -> list[Tried]:
        return [each for each in tried if each.metric.partition("(")[0] in which]

    calls = about(OF_CALLS)
    return Judged(
        _hold(calls),
        bool(calls) and all(each.holds and each.is_full for each in calls),
        _hold(about(OF_ANSWERS)),
        _hold(about(OF_THE_WHOLE)),
    )


def _hold(tried: Sequence[Tried]) -> bool | None:
    return all(each.holds for each in tried) if tried else None
