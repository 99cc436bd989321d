"""Puts the questions of a probe to a server.  Whatever comes of one is what was seen."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing

import httpx

from studio.engine.errors import ServerError
from studio.engine.models.exchange import Exchange, WireCall
from studio.engine.models.failures import ModelFault
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.probe.questions import WINDOW, Step, body
from studio.engine.offers import FoundModel, LoadedModel
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain_text
from studio.engine.records import (
    JsonObject,
    Record,
)

_KEPT_TEXT = 4_000


class Seen(Record, frozen=True):
    """What came of one question.  Times in seconds, as the server states them.

    `failure` and `problem` are set when there was no whole reply; `is_lost` if it was the
    connection or the server that failed, which says nothing of the model.
    """

    sent: JsonObject
    text: str = ""
    thinking: str = ""
    calls: tuple[WireCall, ...] = ()
    done_reason: str | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    load_seconds: float | None = None
    prompt_seconds: float | None = None
    reply_seconds: float | None = None
    failure: FailureClass | None = None
    problem: str = ""
    is_lost: bool = False


class Observed(Record, frozen=True):
    """All that a probe saw: each question that was asked, and the window that was allocated."""

    seen: Mapping[Step, Seen]
    window_asked: int = WINDOW
    loaded: LoadedModel | None = None
    was_freed: bool = True
    """The model was out of memory before, so that its loading was seen."""

    @property
    def lost(self) -> Seen | None:
        """The question at which the server was lost, if it was."""
        return next((each for each in self.seen.values() if each.is_lost), None)


Report = Callable[[Step, int, int], None]
"""Told before each question: which, how many were asked before, how many there may be."""


class Limits(Record, frozen=True):
    """Seconds: how long a server may say nothing, and how long one question may take in all."""

    silence: float = 300.0
    question: float = 600.0


async def observe(
    server: OllamaServer, model: FoundModel, report: Report, limits: Limits | None = None
) -> Observed:
    """Ask the model everything that makes sense to ask it; cancelling it stops the server too.

    The model is loaded anew for it, with a small window, and freed afterwards.
    """
    asker = _Asker(server, model, limits or Limits())
    was_freed = await _freed(server, model.name)  # so that loading is measured
    loaded = None
    steps = list(asker.steps())
    for place, step in enumerate(steps):
        if not asker.makes_sense(step):
            continue
        report(step, place, len(steps))
        await asker.ask(step)
        if asker.is_hopeless(step):
            break
        if step is Step.ANSWER:
            loaded = await server.held(model.name)
    await _freed(server, model.name)
    return Observed(asker.seen, asker.window, loaded, was_freed)


async def _freed(server: OllamaServer, model: str) -> bool:
    """Free the model's memory; whether the server did."""
    try:
        await server.unload(model)
    except ServerError:
        return False
    return True


class _Asker:
    def __init__(self, server: OllamaServer, model: FoundModel, limits: Limits) -> None:
        self.seen: dict[Step, Seen] = {}
        self.window = min(WINDOW, model.context_length or WINDOW)
        self._server = server
        self._model = model
        self._limits = limits
        self._can_think = "thinking" in (model.capabilities or ())
        self._nonce = str(time.time_ns())

    def steps(self) -> Iterator[Step]:
        only_thinkers = {Step.THINKING, Step.SCHEMA_THINKING}
        return (step for step in Step if self._can_think or step not in only_thinkers)

    def makes_sense(self, step: Step) -> bool:
        """Whether a question may still tell something after what was seen."""
        if step is Step.TOOLS_AGAIN:
            first = self.seen[Step.TOOLS]
            return first.failure is None and not first.calls
        return True

    def is_hopeless(self, step: Step) -> bool:
        """Whether all further questions would fail as this one did."""
        seen = self.seen[step]
        return seen.is_lost or (step is Step.ANSWER and seen.failure is not None)

    async def ask(self, step: Step) -> None:
        asked = body(
            step, self._model.name,
            window=self.window, think=False if self._can_think else None, nonce=self._nonce,
        )  # fmt: skip
        self.seen[step] = await exchanged(self._server, asked, self._limits)


async def exchanged(server: OllamaServer, asked: JsonObject, limits: Limits) -> Seen:
    """One question and what came of it."""
    exchange = Exchange()
    exchange.began(asked)
    try:
        async with (
            asyncio.timeout(limits.question),
            aclosing(server.lines("/api/chat", asked, silence=limits.silence)) as lines,
        ):
            async for line in lines:
                exchange.read(line)
    except ModelFault as fault:
        is_lost = isinstance(fault.__cause__, httpx.TransportError)
        return _seen(exchange, fault.failure, fault.problem, is_lost=is_lost)
    except ServerError as error:
        return _seen(exchange, FailureClass.SERVER, error.problem, is_lost=True)
    except TimeoutError:
        problem = f"The reply was not complete after {limits.question:.0f} seconds."
        return _seen(exchange, FailureClass.TIME_OUT, problem)
    try:
        exchange.end()
    except ModelFault as fault:
        return _seen(exchange, fault.failure, fault.problem, is_lost=not exchange.is_done)
    return _seen(exchange)


def _seen(
    exchange: Exchange,
    failure: FailureClass | None = None,
    problem: str = "",
    *,
    is_lost: bool = False,
) -> Seen:
    return Seen(
        sent=exchange.sent or {},
        text=plain_text(exchange.text, _KEPT_TEXT),
        thinking=plain_text(exchange.thinking, _KEPT_TEXT),
        calls=tuple(exchange.calls),
        done_reason=exchange.done_reason,
        prompt_tokens=exchange.prompt_tokens,
        reply_tokens=exchange.reply_tokens,
        load_seconds=exchange.load_seconds,
        prompt_seconds=exchange.prompt_seconds,
        reply_seconds=exchange.reply_seconds,
        failure=failure,
        problem=problem,
        is_lost=is_lost,
    )
