"""Which family a metric belongs to: the headings under which metrics are offered."""

from studio.engine.metrics.base import Metric

FAMILIES = (
    "Calls", "Trajectories", "Answers", "Instructions", "Retrieval", "Confidence", "AgentArch",
    "Conversation", "Effort", "Composite", "Own",
)  # fmt: skip
"""In the order in which they are offered; others follow."""

_BY_MODULE = {
    "calls": "Calls",
    "ragas_calls": "Calls",
    "ragas_f1": "Calls",
    "call_match": "Calls",
    "argument_check": "Calls",
    "bfcl": "Calls",
    "acebench": "Calls",
    "trajectory": "Trajectories",
    "multi_turn": "Trajectories",
    "chain": "Trajectories",
    "efficiency": "Trajectories",
    "contains": "Answers",
    "number": "Answers",
    "answers": "Answers",
    "ifeval": "Instructions",
    "agentarch": "AgentArch",
    "reflection": "Conversation",
}


def family(kind: type[Metric]) -> str:
    """The family of a metric, by the module of this package that it stands in."""
    module = kind.__module__.removeprefix(f"{__package__}.").partition(".")[0]
    return _BY_MODULE.get(module, module.replace("_", " ").capitalize())
