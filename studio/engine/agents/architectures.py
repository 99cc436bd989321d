"""The graphs that we ship, by name.  None knows a model or a tool: it asks the running trial.

Their nodes say themselves when a step begins and ends.  That is exact, and spares the streaming
of subgraphs, which costs a quarter of the bare loop's time.
"""

from collections.abc import Awaitable, Callable, Mapping
from operator import add
from typing import Annotated, Any, Protocol, TypedDict

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from studio.engine.agents.setup import Graph
from studio.engine.agents.trial import CURRENT, Trial
from studio.engine.errors import RunError


class Conversation(TypedDict):
    """The messages so far; a node's result takes their place."""

    messages: list[BaseMessage]


class GrowingConversation(TypedDict):
    """The messages so far; a node's result is added to them."""

    messages: Annotated[list[BaseMessage], add]


class Node(Protocol):
    """A node of a graph, as LangGraph calls it."""

    async def __call__(
        self, state: GrowingConversation, config: RunnableConfig
    ) -> dict[str, Any]: ...


Work = Callable[[Trial, GrowingConversation, RunnableConfig], Awaitable[list[BaseMessage]]]


def _recorded(work: Work) -> Node:
    """A node that does `work`, whose step ends when the work does."""

    async def node(state: GrowingConversation, config: RunnableConfig) -> dict[str, Any]:
        trial = CURRENT.get()
        step = trial.recorder.step_of(config)
        try:
            messages = await work(trial, state, config)
        except Exception as error:
            trial.recorder.ended(step, error)
            raise
        trial.recorder.ended(step)
        return {"messages": messages}

    return node


@_recorded
async def agent(
    trial: Trial, state: GrowingConversation, config: RunnableConfig
) -> list[BaseMessage]:
    """Ask the model, with every tool of the variant on offer."""
    return [await trial.ask(state["messages"], config, offered=trial.setup.offered)]


@_recorded
async def tools(
    trial: Trial, state: GrowingConversation, config: RunnableConfig
) -> list[BaseMessage]:
    """Carry out the calls of the last reply, one after another in the order they were made."""
    last = state["messages"][-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    return [await trial.call_tool(call, config) for call in calls]


def _next(state: GrowingConversation) -> str:
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else END


def react() -> Graph:
    """Start, agent, (tools, agent)*, end: the loop is a subgraph named `assistant`."""
    loop = StateGraph(GrowingConversation)
    loop.add_node("agent", agent)
    loop.add_node("tools", tools)
    loop.add_edge(START, "agent")
    loop.add_conditional_edges("agent", _next, ["tools", END])
    loop.add_edge("tools", "agent")
    whole = StateGraph(Conversation)
    whole.add_node("assistant", loop.compile())
    whole.add_edge(START, "assistant")
    whole.add_edge("assistant", END)
    return whole.compile()


ARCHITECTURES: Mapping[str, Callable[[], Graph]] = {"react": react}


def build(name: str) -> Graph:
    """The graph of that architecture, to be built once per run; raises RunError."""
    if name not in ARCHITECTURES:
        known = ", ".join(sorted(ARCHITECTURES))
        raise RunError(f"There is no architecture {name!r}.", f"Choose one of: {known}.")
    return ARCHITECTURES[name]()
