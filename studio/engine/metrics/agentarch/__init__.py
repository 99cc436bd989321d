"""AgentArch's metrics of one record (Bogavelli et al. 2025, arXiv 2509.10769).

::

    truth.py      what a record or a query states of a good run
    done.py       what was done, from a trace of the benchmark; trial.py from a trial
    facts.py      what AgentArch's `run_metrics` finds of one record, in either mode
    decision.py   whether the final message states the right decision
    arguments.py  how many arguments are right
    metric.py     how a record, or a trial of a project, becomes facts
    metrics.py    the metrics, each a look at one of the facts
"""

from studio.engine.metrics.agentarch.metrics import (
    AgentArchAcceptable,
    AgentArchArguments,
    AgentArchDecision,
    AgentArchExtraneousTools,
    AgentArchHallucination,
    AgentArchMissingTools,
    AgentArchOptimalPath,
    AgentArchOrchestrator,
    AgentArchRepetition,
    AgentArchTools,
)

AGENT_ARCH = (
    AgentArchAcceptable,
    AgentArchTools,
    AgentArchArguments,
    AgentArchDecision,
    AgentArchHallucination,
    AgentArchRepetition,
    AgentArchMissingTools,
    AgentArchExtraneousTools,
    AgentArchOptimalPath,
    AgentArchOrchestrator,
)
"""In the order in which they are offered."""

__all__ = ["AGENT_ARCH"]
