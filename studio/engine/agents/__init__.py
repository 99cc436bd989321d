"""Agents: LangGraph graphs, run one trial at a time and turned into events.

setup          what a trial needs: model, tools, graph, clock
run            run_trial: one trial from TrialStarted to TrialEnded
endings        how a trial ended, and whose fault it was
causes         the model's fault behind an exception of a project's graph
trial          asking the model and calling tools, recorded
waiting        turns at the server, outside a trial's time
understanding  what a reply means: answer, thinking, calls
recorder       LangGraph's tasks as nested steps
architectures  the graphs that we ship
own_graph      a project's own graph
"""

from studio.engine.agents.architectures import ARCHITECTURES, build
from studio.engine.agents.run import run_trial
from studio.engine.agents.setup import AgentSetup, Graph, ToolCaller, ToolOutcome

__all__ = [
    "ARCHITECTURES",
    "AgentSetup",
    "Graph",
    "ToolCaller",
    "ToolOutcome",
    "build",
    "run_trial",
]
