"""Runs one trial, from TrialStarted to TrialEnded."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from studio.engine.agents import endings
from studio.engine.agents.observer import ModelObserver
from studio.engine.agents.recorder import Recorder
from studio.engine.agents.setup import AgentSetup
from studio.engine.agents.trial import CURRENT, Trial
from studio.engine.events import Event, TrialEnded, TrialRetried, TrialStarted
from studio.engine.models.found_calls.thinking import split_thinking
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain_text
from studio.engine.records import Query


async def run_trial(
    query: Query,
    setup: AgentSetup,
    emit: Callable[[Event], None],
    *,
    number: int = 1,
    tried: Iterable[tuple[str, str]] = (),
) -> TrialEnded:
    """Run `query` once and emit everything that happens.

    `number` says which trial of the query it is, `tried` on which servers it failed before, and
    why.  Failures are outcomes: only cancellation is
    raised, after TrialEnded was emitted, and what `emit` itself raises.
    """
    recorder = Recorder(emit, setup.clock, setup.variant.step_cap)
    trial = Trial(setup, recorder, number)
    began = setup.clock()
    text = plain_text(query.text)
    emit(TrialStarted(began, query.id, text, setup.variant.name, number, setup.server))
    for server, reason in tried:
        emit(TrialRetried(began, server, reason))
    token = CURRENT.set(trial)
    try:
        ending = await _ending(trial, text)
    except asyncio.CancelledError:
        _end(trial, endings.cancelled(), began)
        raise
    finally:
        CURRENT.reset(token)
    return _end(trial, ending, began)


def _end(trial: Trial, ending: TrialEnded, began: float) -> TrialEnded:
    trial.close(str(ending.outcome), ending.failure)
    at = trial.recorder.clock()
    reason = plain_text(ending.reason, 4_000)
    seconds = max(0.0, at - began - trial.waiting.seconds)
    ended = TrialEnded(at, ending.outcome, ending.answer, ending.failure, reason, seconds)
    trial.recorder.emit(ended)
    return ended


async def _ending(trial: Trial, text: str) -> TrialEnded:
    if not text.strip():
        return endings.failed(FailureClass.HARNESS, "The query has no text. Give it one.")
    setup = trial.setup
    timeout = asyncio.timeout(setup.time_limit)
    try:
        async with timeout:
            trial.waiting.limit = timeout
            return await _stream(trial, text)
    except asyncio.CancelledError as error:
        # Ours only if this task was asked to stop; else something below cancelled itself.
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return endings.of_error(error, setup)
    except Exception as error:  # whatever a graph, a library or a tool host raises ends one trial
        if timeout.expired():
            return endings.timed_out(setup.time_limit)
        return endings.of_error(error, setup)


async def _stream(trial: Trial, text: str) -> TrialEnded:
    setup = trial.setup
    messages: list[BaseMessage] = [HumanMessage(text)]
    if setup.variant.prompt.text.strip():
        messages.insert(0, SystemMessage(plain_text(setup.variant.prompt.text)))
    # The nodes of our own graphs tell of themselves; others are heard of through the stream.
    inside = setup.is_own_graph
    stream = setup.graph.astream(
        {"messages": messages}, _config(trial), stream_mode="tasks", subgraphs=inside
    )
    async with aclosing(cast(AsyncGenerator[Any, None], stream)) as items:
        async for item in items:
            namespace, task = item if inside else ((), item)
            if inside and "result" in task:
                _take_result(trial, task, is_outer=not namespace)
            trial.recorder.told(namespace, task)
            if task.get("interrupts"):
                reason = "The graph stopped to ask a person (an interrupt). Nobody can answer here."
                return endings.failed(FailureClass.AGENT, reason)
    return endings.finished(trial)


def _config(trial: Trial) -> RunnableConfig:
    config: RunnableConfig = {
        # The recorder's count of leaf steps ends a trial first; this is for what it cannot see.
        "recursion_limit": trial.setup.variant.step_cap + 1,
    }
    if trial.setup.is_own_graph:
        # A project's graph may keep checkpoints (no two trials share them) and ask other models.
        config["configurable"] = {"thread_id": uuid4().hex}
        config["callbacks"] = [ModelObserver(trial)]
    return config


def _take_result(trial: Trial, task: Mapping[str, Any], *, is_outer: bool) -> None:
    """What a node of a project's graph gave back: tool results that we did not make, the answer."""
    result = task["result"]
    given = result.get("messages") if isinstance(result, dict) else None
    messages = given if isinstance(given, list) else [given]
    for message in messages:
        if isinstance(message, ToolMessage):
            trial.saw_tool_message(message, task["id"])
    # A model that a project asks by itself may write its thinking into the text.
    texts = [
        split_thinking(plain_text(each.text)).rest.strip()
        for each in messages
        if isinstance(each, AIMessage)
    ]
    if is_outer:
        trial.answer = next(filter(None, reversed(texts)), trial.answer)
