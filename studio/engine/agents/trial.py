"""One trial while it runs: the only way in which a graph reaches the model and the tools.

Whatever the graph looks like, asking the model and calling a tool happen here, so that both are
recorded in the same way for our own graphs and for a project's.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.runnables import RunnableConfig

from studio.engine.agents.recorder import Recorder
from studio.engine.agents.setup import AgentSetup
from studio.engine.agents.understanding import NATIVE, Understood, understand
from studio.engine.agents.waiting import Waiting
from studio.engine.events import (
    CallMade,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    ToolCalled,
    ToolReturned,
)
from studio.engine.models.estimate import estimate_request
from studio.engine.models.exchange import Exchange, WireCall, recording
from studio.engine.models.failures import MORE_ROOM, ModelFault
from studio.engine.models.options import seed_of
from studio.engine.models.window import Counts, Cut, cut
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain, plain_text
from studio.engine.records import JsonObject

T = TypeVar("T")

REPEATED = "repeated call"
_REPEATS = 3
# What is asked here is recorded here, and not by callbacks as well.
_UNOBSERVED: RunnableConfig = {"callbacks": []}


class Trial:
    """The state of one trial: what was recorded, and what the model said last."""

    def __init__(self, setup: AgentSetup, recorder: Recorder, number: int) -> None:
        self.setup = setup
        self.recorder = recorder
        self.loop = asyncio.get_running_loop()
        self.guests: set[Future[Any]] = set()
        self.waiting = Waiting(setup.gate)
        self.answer: str | None = None
        self.last: Understood | None = None
        seed = seed_of(setup.variant.model.options, number)
        self._options: JsonObject = {} if seed is None else {"seed": seed}
        self._made: dict[str, CallMade] = {}
        self._carried_out: set[str] = set()
        self._streak: tuple[str, int] = ("", 0)
        self._asked: dict[str, tuple[str, float, Exchange]] = {}

    async def ask(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig,
        *,
        offered: list[JsonObject] | None = None,
        **how: Any,
    ) -> AIMessage:
        """The model's reply to `messages`, understood; raises ModelFault if there is none.

        `offered` are the tools, `how` what else langchain-ollama may be told for one call.
        """
        async with self.waiting.turn():
            return await self._ask(messages, config, offered, how)

    async def _ask(
        self,
        messages: Sequence[BaseMessage],
        config: RunnableConfig,
        offered: list[JsonObject] | None,
        how: dict[str, Any],
    ) -> AIMessage:
        step = self.recorder.step_of(config)
        call = self.recorder.next_model_call()
        exchange = self._exchange(step, call, offered)
        began = self.recorder.clock()
        self._asked[call] = (step, began, exchange)
        try:
            with recording(exchange):
                reply = await self.setup.model.ainvoke(
                    list(messages), _UNOBSERVED, tools=offered, **how
                )
        except ModelFault as fault:
            self._fail(call, fault)
            raise
        except Exception as error:
            self._fail(call, ModelFault(FailureClass.HARNESS, f"{type(error).__name__}: {error}"))
            raise
        if exchange.sent is None and isinstance(reply, AIMessage):
            _take_message(exchange, messages, reply, offered)
        del self._asked[call]
        return self._reply(step, call, exchange, began)

    async def call_tool(self, call: ToolCall, config: RunnableConfig) -> ToolMessage:
        """Carry out one call; whatever goes wrong in the tool is told to the model."""
        step = self.recorder.step_of(config)
        name, arguments, key = call["name"], call["args"], call["id"] or ""
        made = self._made.get(key)
        origin = made.origin if made else NATIVE
        self._carried_out.add(key)
        emit, clock = self.recorder.emit, self.recorder.clock
        is_retrieval = name in self.setup.retrievers
        emit(ToolCalled(clock(), key, step, name, arguments, origin, is_retrieval))
        outcome = await self.setup.tools.call(name, arguments)
        content = plain_text(outcome.content)
        printed = plain_text(outcome.printed)
        emit(ToolReturned(clock(), key, step, content, outcome.error, printed, outcome.seconds))
        status = "error" if outcome.error else "success"
        return ToolMessage(content, tool_call_id=key, name=name, status=status)

    def saw_tool_message(self, message: ToolMessage, step: str) -> None:
        """Record a result that a project's graph made without us: its own tool, or a refusal."""
        key = message.tool_call_id
        if key in self._carried_out:
            return
        self._carried_out.add(key)
        made = self._made.get(key) or CallMade(key, plain_text(message.name or ""), {})
        error = None
        if message.status == "error":
            error = "exception" if made.name in self.setup.schemas else "unknown tool"
        emit, at = self.recorder.emit, self.recorder.clock()
        is_retrieval = made.name in self.setup.retrievers
        emit(ToolCalled(at, key, step, made.name, made.arguments, made.origin, is_retrieval))
        emit(ToolReturned(at, key, step, plain_text(message.text), error))

    def from_thread(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, done on the engine's loop while this thread waits.

        The trial cancels it when it ends.  Raises RuntimeError on the loop's own thread.
        """
        if self._is_on_loop():
            work.close()
            raise RuntimeError("in an asynchronous node, use `await ....ainvoke(...)`")
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        self.guests.add(future)
        try:
            return future.result()
        finally:
            self.guests.discard(future)

    def on_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call `function` on the engine's loop, from whichever thread."""
        if self._is_on_loop():
            function(*arguments)
            return

        async def call() -> None:
            function(*arguments)

        self.from_thread(call())

    def _is_on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self.loop
        except RuntimeError:
            return False

    def next_direct_call(self) -> str:
        """A new id for a tool call that no reply of the model asked for."""
        return f"t{len(self._carried_out) + 1}"

    def heard(self, understood: Understood) -> None:
        """Remember what the model said last: its calls and, unless it is blank, its answer."""
        self.last = understood
        self.answer = understood.answer.strip() or self.answer
        self._made |= {made.id: made for made in understood.calls}

    def close(self, why: str, failure: FailureClass | None) -> None:
        """End what is still open: model calls without a reply, then the steps around them."""
        for guest in tuple(self.guests):
            guest.cancel()
        for call in list(self._asked):
            self._fail(call, ModelFault(failure or FailureClass.HARNESS, f"No reply: {why}."))
        self.recorder.close(why)

    def _exchange(self, step: str, call: str, offered: list[JsonObject] | None) -> Exchange:
        exchange = Exchange(fields={"tools": offered} if offered else {}, options=self._options)

        def on_sent(body: JsonObject) -> None:
            at = self.recorder.clock()
            self.recorder.emit(ModelCalled(at, call, step, self.setup.variant.model.name, body))

        exchange.on_sent = on_sent
        return exchange

    def _reply(self, step: str, call: str, exchange: Exchange, began: float) -> AIMessage:
        understood = understand(exchange, self.setup.schemas, call)
        lost = self._cut(exchange, understood)
        marks = understood.marks
        marks += (REPEATED,) if self._repeats(understood.calls) else ()
        marks += (lost.mark,) if lost else ()
        at = self.recorder.clock()
        self.waiting.give_back(min(exchange.load_seconds or 0.0, at - began))
        self.recorder.emit(
            ModelReplied(
                at,
                call,
                step,
                text=exchange.text,
                thinking=understood.thinking,
                calls=understood.calls,
                marks=marks,
                done_reason=exchange.done_reason,
                prompt_tokens=exchange.prompt_tokens,
                reply_tokens=exchange.reply_tokens,
                seconds=at - began,
                load_seconds=exchange.load_seconds,
                needed=lost.needed if lost else None,
            )
        )
        if lost:
            raise ModelFault(FailureClass.TRUNCATED, lost.problem, MORE_ROOM, needed=lost.needed)
        return self._for_history(understood, exchange)

    def _cut(self, exchange: Exchange, understood: Understood) -> Cut | None:
        has_said = understood.answer.strip() or understood.calls
        counts = Counts(
            exchange.prompt_tokens,
            exchange.reply_tokens,
            exchange.done_reason,
            only_thought=bool(understood.thinking.strip()) and not has_said,
        )
        return cut(exchange.sent or {}, counts, self.setup.window)

    def _for_history(self, understood: Understood, exchange: Exchange) -> AIMessage:
        """The reply as the model sees it next: no stray tags, no thinking in the text."""
        self.heard(understood)
        calls = [
            ToolCall(name=made.name, args=dict(made.arguments), id=made.id, type="tool_call")
            for made in understood.calls
        ]
        thinking = exchange.thinking
        # Models whose server tells thinking apart are trained to see it again within a turn.
        kept = {"reasoning_content": thinking} if thinking else {}
        return AIMessage(understood.answer, tool_calls=calls, additional_kwargs=kept)

    def _fail(self, call: str, fault: ModelFault) -> None:
        step, began, exchange = self._asked.pop(call)
        at = self.recorder.clock()
        raw = fault.raw or exchange.text
        message = str(fault)
        needed = fault.needed
        if fault.failure is FailureClass.TRUNCATED and needed is None:
            needed = estimate_request(exchange.sent or {})
        self.recorder.emit(
            ModelFailed(at, call, step, fault.failure, message, raw, at - began, needed)
        )

    def _repeats(self, calls: tuple[CallMade, ...]) -> bool:
        """Whether the same call now came three times in a row, or more."""
        is_repeated = False
        for call in calls:
            written = json.dumps([call.name, call.arguments], sort_keys=True)
            before, times = self._streak
            self._streak = (written, times + 1 if written == before else 1)
            is_repeated |= self._streak[1] >= _REPEATS
        return is_repeated


def _take_message(
    exchange: Exchange,
    messages: Sequence[BaseMessage],
    reply: AIMessage,
    offered: list[JsonObject] | None,
) -> None:
    """The facts of a model that does not speak over our wire: what its message says."""
    body: dict[str, Any] = {"messages": plain(convert_to_openai_messages(list(messages)))}
    exchange.began(body | ({"tools": offered} if offered else {}))
    exchange.texts.append(plain_text(reply.text))
    if thinking := reply.additional_kwargs.get("reasoning_content"):
        exchange.thoughts.append(plain_text(str(thinking)))
    for call in reply.tool_calls:
        exchange.calls.append(WireCall(plain_text(call["name"]), plain(call["args"])))
    exchange.done_reason = reply.response_metadata.get("done_reason")
    if usage := reply.usage_metadata:
        exchange.prompt_tokens = usage["input_tokens"]
        exchange.reply_tokens = usage["output_tokens"]


CURRENT: ContextVar[Trial] = ContextVar("trial")
"""The trial that runs in this context: a graph is built once and serves many."""
