"""The model and the tools that a project's own graph is handed.

Both lead to the running trial, which records what they do.  They can be used in asynchronous
nodes and in synchronous ones (LangGraph runs those in threads, where the call waits for the
engine's loop).
"""

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config
from typing_extensions import override

from studio.engine.agents.trial import CURRENT, Trial
from studio.engine.plain import plain
from studio.engine.records import JsonObject, ToolSpec

HANDED = "studio"
"""The kind by which callbacks tell the model that we handed out from others."""


class HandedModel(BaseChatModel):
    """The variant's model.  Tools that are bound to it by name are offered as the project says."""

    name: str

    @property
    @override
    def _llm_type(self) -> str:
        return HANDED

    @override
    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await _asked(CURRENT.get(), messages, stop, kwargs)

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        trial = CURRENT.get()
        return trial.from_thread(_asked(trial, messages, stop, kwargs))


async def _asked(
    trial: Trial, messages: list[BaseMessage], stop: list[str] | None, how: dict[str, Any]
) -> ChatResult:
    stated = {tool["function"]["name"]: tool for tool in trial.setup.offered}
    offered: list[JsonObject] = [
        stated.get(tool["function"]["name"], tool) for tool in how.pop("tools", ())
    ]
    if stop:
        how["stop"] = stop
    reply = await trial.ask(messages, get_config(), offered=offered, **how)
    return ChatResult(generations=[ChatGeneration(message=reply)])


class HandedTool(BaseTool):
    """A tool of the variant, carried out as for our own graphs; failures are told, not raised."""

    @classmethod
    def of(cls, tool: ToolSpec) -> "HandedTool":
        schema = {"title": tool.name, "description": tool.description, **tool.parameters}
        return cls(name=tool.name, description=tool.description, args_schema=schema)

    @override
    async def ainvoke(
        self, input: str | dict[str, Any] | ToolCall, config: RunnableConfig | None = None, **_: Any
    ) -> Any:
        return await self._called(CURRENT.get(), input)

    @override
    def invoke(
        self, input: str | dict[str, Any] | ToolCall, config: RunnableConfig | None = None, **_: Any
    ) -> Any:
        trial = CURRENT.get()
        return trial.from_thread(self._called(trial, input))

    async def _called(self, trial: Trial, given: str | dict[str, Any] | ToolCall) -> Any:
        """A tool message for a tool call, as ToolNode wants it; else the content alone."""
        if isinstance(given, dict) and given.get("type") == "tool_call":
            call = cast(ToolCall, given)
            return await trial.call_tool({**call, "args": plain(call["args"])}, get_config())
        arguments = given if isinstance(given, dict) else {"input": given}
        direct = ToolCall(
            name=self.name, args=plain(arguments), id=trial.next_direct_call(), type="tool_call"
        )
        message: ToolMessage = await trial.call_tool(direct, get_config())
        return message.content

    @override
    def _run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("the running trial carries the call out")
