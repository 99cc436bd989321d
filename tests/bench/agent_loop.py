"""What recording costs: our trials against the bare LangGraph loop, in one run, interleaved.

``python -m tests.bench.agent_loop [trials] [rounds]`` runs trials with one tool call and a model
of this process that answers at once.  The bare loop has the same graph (agent and tools in a
subgraph) and the same model, streamed with `astream` and recorded nowhere.
"""

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from operator import add
from typing import Annotated, Any, TypedDict

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from typing_extensions import override

from studio.engine.agents import AgentSetup, build, run_trial
from studio.engine.events import Event, encode
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    JsonObject,
    ModelSpec,
    Prompt,
    Query,
    Record,
    ToolSet,
    ToolSpec,
    Variant,
)

QUESTION = "What is the price of 3 kg of gold in euros?"
PROMPT = "You know the prices of metals. Use the tools."
SCHEMA = {"type": "object", "properties": {"metal": {"type": "string"}}, "required": ["metal"]}
TOOL = ToolSpec("price", "The price of one kilogram of a metal.", SCHEMA)


class InstantModel(BaseChatModel):
    """Calls the tool once, then answers."""

    @property
    @override
    def _llm_type(self) -> str:
        return "instant"

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            reply = AIMessage("It costs 183,000 euros.")
        else:
            call = {"name": "price", "args": {"metal": "gold"}, "id": "1", "type": "tool_call"}
            reply = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages)


class Price(Record, frozen=True):
    content: str
    error: str | None = None
    printed: str = ""
    seconds: float = 0.0


class PriceTool:
    async def call(self, name: str, arguments: JsonObject) -> Price:
        return Price("61000")


class _Inner(TypedDict):
    messages: Annotated[list[BaseMessage], add]


class _Outer(TypedDict):
    messages: list[BaseMessage]


def bare_graph(model: BaseChatModel, tool: PriceTool) -> Any:
    offered = [{"type": "function", "function": {"name": "price", "parameters": SCHEMA}}]

    async def agent(state: _Inner) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"], tools=offered)]}

    async def tools(state: _Inner) -> dict[str, Any]:
        results = []
        for call in state["messages"][-1].tool_calls:
            given = await tool.call(call["name"], call["args"])
            results.append(ToolMessage(given.content, tool_call_id=call["id"], name=call["name"]))
        return {"messages": results}

    loop = StateGraph(_Inner)
    loop.add_node("agent", agent)
    loop.add_node("tools", tools)
    loop.add_edge(START, "agent")
    loop.add_conditional_edges(
        "agent", lambda state: "tools" if state["messages"][-1].tool_calls else END, ["tools", END]
    )
    loop.add_edge("tools", "agent")
    whole = StateGraph(_Outer)
    whole.add_node("assistant", loop.compile())
    whole.add_edge(START, "assistant")
    whole.add_edge("assistant", END)
    return whole.compile()


Job = Callable[[int], Awaitable[None]]


def jobs() -> dict[str, Job]:
    model, tool = InstantModel(), PriceTool()
    bare = bare_graph(model, tool)
    variant = Variant("v", Prompt("p", PROMPT), ToolSet("t", (TOOL,)), ModelSpec("instant"))
    setup = AgentSetup(variant, model, tool, build("react"))

    async def bare_loop(trials: int, **how: Any) -> None:
        for _ in range(trials):
            messages = [SystemMessage(PROMPT), HumanMessage(QUESTION)]
            async for _item in bare.astream({"messages": messages}, {"recursion_limit": 25}, **how):
                pass

    async def tasks_loop(trials: int) -> None:
        await bare_loop(trials, stream_mode="tasks", subgraphs=True)

    async def trials_loop(trials: int) -> None:
        for number in range(trials):
            events: list[Event] = []
            ended = await run_trial(Query(str(number), QUESTION), setup, events.append)
            assert ended.outcome is Outcome.FINISHED
            assert encode(events)

    return {
        "bare loop": bare_loop,
        "bare loop, streaming subgraph tasks": tasks_loop,
        "our trials, events encoded": trials_loop,
    }


async def _timed(job: Job, trials: int) -> float:
    gc.collect()
    began = time.process_time()
    await job(trials)
    return time.process_time() - began


async def main(trials: int, rounds: int) -> None:
    all_jobs = jobs()
    for job in all_jobs.values():
        await job(20)
    taken: dict[str, list[float]] = {name: [] for name in all_jobs}
    for _ in range(rounds):
        for name, job in all_jobs.items():
            taken[name].append(await _timed(job, trials))
    floor = taken["bare loop"]
    print(f"{trials} trials with one tool call, {rounds} rounds, CPU seconds of this process")
    print(f"{'':38}{'ms/trial':>10}{'trials/s':>10}{'x bare':>8}")
    for name, times in taken.items():
        middle = statistics.median(times)
        ratio = statistics.median(ours / bare for ours, bare in zip(times, floor, strict=True))
        print(f"{name:38}{middle / trials * 1e3:10.2f}{trials / middle:10.0f}{ratio:8.2f}")


if __name__ == "__main__":
    asyncio.run(main(*map(int, [*sys.argv[1:], *["1000", "5"][len(sys.argv) - 1 :]])))
