"""Records the models that a project's graph asks by itself, past the one it was handed."""

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, LLMResult
from typing_extensions import override

from studio.engine.agents.causes import behind
from studio.engine.agents.handed import HANDED
from studio.engine.agents.trial import Trial
from studio.engine.agents.understanding import Understood
from studio.engine.events import CallMade, ModelCalled, ModelFailed, ModelReplied
from studio.engine.models.found_calls.thinking import split_thinking
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain, plain_text


class ModelObserver(BaseCallbackHandler):
    """Turns LangChain's callbacks of foreign chat models into the events of a trial.

    A synchronous node calls back on a thread of its own; events are made on the engine's loop only.
    """

    # A mistake here must not be a line in a log while the trace is short of a call.
    raise_error = True
    # In the order in which they happen, and on the loop where there is one.
    run_inline = True

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._asked: dict[UUID, tuple[str, str, float]] = {}

    @override
    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        asked = kwargs.get("invocation_params", {})
        if asked.get("_type") == HANDED:
            return
        self._trial.on_loop(self._began, run_id, metadata or {}, asked, messages[0])

    @override
    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id in self._asked:
            self._trial.on_loop(self._replied, run_id, response)

    @override
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id in self._asked:
            self._trial.on_loop(self._failed, run_id, error)

    def _began(
        self, run_id: UUID, about: dict[str, Any], asked: dict[str, Any], said: list[BaseMessage]
    ) -> None:
        recorder = self._trial.recorder
        place = {"checkpoint_ns": about.get("langgraph_checkpoint_ns", "")}
        step = recorder.step_of({"configurable": place, "metadata": about})
        call, at = recorder.next_model_call(), recorder.clock()
        self._asked[run_id] = call, step, at
        name = plain_text(str(about.get("ls_model_name") or asked.get("model") or "?"))
        sent = {"model": name, "messages": plain(convert_to_openai_messages(said))}
        recorder.emit(ModelCalled(at, call, step, name, sent))

    def _replied(self, run_id: UUID, response: LLMResult) -> None:
        call, step, began = self._asked.pop(run_id)
        generation = response.generations[0][0]
        message = generation.message if isinstance(generation, ChatGeneration) else None
        reply = message if isinstance(message, AIMessage) else AIMessage(generation.text)
        usage = reply.usage_metadata
        text = plain_text(reply.text)
        apart = plain_text(str(reply.additional_kwargs.get("reasoning_content") or ""))
        split = split_thinking(text)
        thinking = "\n".join(filter(None, (apart, split.thinking)))
        calls = tuple(
            CallMade(made["id"] or "", plain_text(made["name"]), plain(made["args"]))
            for made in reply.tool_calls
        )
        reason = reply.response_metadata.get("done_reason")
        self._trial.heard(Understood(split.rest, thinking, calls, (), reason))
        recorder = self._trial.recorder
        at = recorder.clock()
        recorder.emit(
            ModelReplied(
                at,
                call,
                step,
                text,
                thinking=thinking,
                calls=calls,
                done_reason=reason if isinstance(reason, str) else None,
                prompt_tokens=usage["input_tokens"] if usage else None,
                reply_tokens=usage["output_tokens"] if usage else None,
                seconds=at - began,
            )
        )

    def _failed(self, run_id: UUID, error: BaseException) -> None:
        call, step, began = self._asked.pop(run_id)
        recorder = self._trial.recorder
        at = recorder.clock()
        fault = behind(error)
        told = str(fault) if fault else plain_text(f"{type(error).__name__}: {error}", 2_000)
        failure = fault.failure if fault else FailureClass.AGENT
        recorder.emit(ModelFailed(at, call, step, failure, told, seconds=at - began))
