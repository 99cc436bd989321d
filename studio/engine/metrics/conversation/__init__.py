"""Metrics of conversations of several turns, and of what a conversation leads to.

::

    turns.py       the turns of a trace: what the user said, and what the agent did about it
    values.py      values in arguments and texts: whether they are used, stated, alike
    stated.py      what a query states of memory and corrections
    memory.py      the same as it shows in the conversation
    metrics.py     memory score, error recovery, coherence of turns
    escalation.py  hand-offs that were missed, or made for nothing
    checklist.py   questions with yes or no about a whole conversation

A turn is one message of the user with all that the agent did until the next.
"""

from studio.engine.metrics.conversation.checklist import Checklist
from studio.engine.metrics.conversation.escalation import (
    MissedEscalation,
    UnnecessaryEscalation,
)
from studio.engine.metrics.conversation.metrics import ErrorRecovery, MemoryScore, TurnCoherence

CONVERSATION = (
    MemoryScore,
    ErrorRecovery,
    TurnCoherence,
    MissedEscalation,
    UnnecessaryEscalation,
    Checklist,
)
"""In the order in which they are offered."""

__all__ = ["CONVERSATION"]
