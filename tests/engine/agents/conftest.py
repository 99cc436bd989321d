"""Runs trials against the scripted server, with tools that are plain functions."""

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from studio.engine.agents import AgentSetup, build, run_trial
from studio.engine.agents.setup import Graph
from studio.engine.events import Event, TrialEnded
from studio.engine.models.chat import chat_model
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
from studio.engine.trace import Trace

ADD = ToolSpec(
    "add",
    "Add two numbers.",
    {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 0},
            "b": {"type": "integer"},
            "list": {"type": "array"},
            "text": {"type": "string"},
        },
    },
)


class Result(Record, frozen=True):
    content: str
    error: str | None = None
    printed: str = ""
    seconds: float = 0.0


@dataclass
class FunctionTools:
    """Tools that are functions of this process."""

    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    made: list[tuple[str, JsonObject]] = field(default_factory=list)

    async def call(self, name: str, arguments: JsonObject) -> Result:
        self.made.append((name, arguments))
        if name not in self.functions:
            return Result(f"There is no tool {name}.", "unknown tool")
        try:
            given = self.functions[name](**arguments)
            return Result(json.dumps(await given if asyncio.iscoroutine(given) else given))
        except ZeroDivisionError as error:
            return Result(str(error), "exception")


def ticking() -> Callable[[], float]:
    """A clock that counts one second up with each look."""
    return map(float, itertools.count(1)).__next__


@dataclass
class Stage:
    """Everything one trial needs, with defaults that a test may replace."""

    address: str
    tools: FunctionTools = field(default_factory=FunctionTools)
    query: str = "What is 1 + 1?"
    prompt: str = "Use the tools."
    model: ModelSpec = field(default_factory=lambda: ModelSpec("m"))
    step_cap: int = 24
    time_limit: float = 20.0
    clock: Callable[[], float] = field(default_factory=ticking)
    graph: Graph | None = None
    is_own_graph: bool = False
    events: list[Event] = field(default_factory=list)

    def setup(self) -> AgentSetup:
        variant = Variant(
            "v", Prompt("p", self.prompt), ToolSet("t", (ADD,)), self.model, step_cap=self.step_cap
        )
        model = chat_model(self.model, self.address, time_limit=self.time_limit)
        graph = self.graph or build("react")
        return AgentSetup(
            variant, model, self.tools, graph, self.time_limit, self.clock, self.is_own_graph
        )

    async def play(self, number: int = 1) -> TrialEnded:
        setup = self.setup()
        try:
            query = Query("q", self.query)
            return await run_trial(query, setup, self.events.append, number=number)
        finally:
            await setup.model.aclose()

    def run(self, number: int = 1) -> Trace:
        ended = asyncio.run(self.play(number))
        trace = Trace(self.events)
        assert trace.end == ended
        return trace


@pytest.fixture
def stage(scripted_ollama) -> Iterator[Stage]:
    tools = FunctionTools({"add": lambda a=0, b=0, **_: a + b})
    return Stage(scripted_ollama.address, tools)
