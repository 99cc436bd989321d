"""What a trial needs from the world: the model, the tools, the graph, the clock."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph

from studio.engine.records import JsonObject, Variant

Graph = CompiledStateGraph[Any, Any, Any, Any]


class ToolOutcome(Protocol):
    """What a tool call gave back; fields as in `events.ToolReturned`."""

    @property
    def content(self) -> str: ...
    @property
    def error(self) -> str | None: ...
    @property
    def printed(self) -> str: ...
    @property
    def seconds(self) -> float: ...


class ToolCaller(Protocol):
    """Carries out tool calls.  Unknown tools and bad arguments are outcomes, not exceptions."""

    async def call(self, name: str, arguments: JsonObject) -> ToolOutcome: ...


@dataclass(frozen=True)
class AgentSetup:
    """One variant, ready to run: used for any number of trials, several at once if `tools` can.

    `clock` gives Unix time in seconds; `time_limit` is the seconds that one trial may take.  The
    graph is built once per run (`architectures.build` or `own_graph.load`); `is_own_graph` says
    that it is the project's code, whose mistakes are then the agent's and not the studio's.
    `window` is what the server allocated for the model, in tokens, as far as that is known, and
    `server` how it is listed.
    """

    variant: Variant
    model: BaseChatModel
    tools: ToolCaller
    graph: Graph
    time_limit: float = 120.0
    clock: Callable[[], float] = time.time
    is_own_graph: bool = False
    gate: asyncio.Semaphore | None = None
    window: int | None = None
    server: str = ""

    @cached_property
    def schemas(self) -> Mapping[str, JsonObject]:
        """The JSON Schema of each tool's arguments, by the tool's name."""
        return {tool.name: tool.parameters for tool in self.variant.tool_set.tools}

    @cached_property
    def retrievers(self) -> frozenset[str]:
        """The tools whose results are documents."""
        return frozenset(tool.name for tool in self.variant.tool_set.tools if tool.is_retrieval)

    @cached_property
    def offered(self) -> list[JsonObject]:
        """The tools as they are offered to the model: exactly as the project states them."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in self.variant.tool_set.tools
        ]
