"""One chat turn: the model calls a tool or answers, told as the lines of an Ollama reply.

With tools, the turn begins with "I will call `" and the decoder lets the model go on with the name
of a tool and arguments that fit its schema, or with `answer`; then it answers in free words.  A
call that was made already since the last question is taken as the wish to answer: this model
would repeat it for ever.
"""

import json
import secrets
import string
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from studio.engine.models import signatures
from studio.engine.models.embedded import grammar, template, window
from studio.engine.models.embedded.asked import ChatRequest, Message, ToolFunction
from studio.engine.models.embedded.card import rfc3339
from studio.engine.models.embedded.llama import Llama
from studio.engine.models.embedded.options import Options
from studio.engine.records import JsonObject

Line = dict[str, Any]
_ALPHABET = string.ascii_lowercase + string.digits


class Turn:
    """What is asked for in one turn, and what it has taken so far."""

    def __init__(
        self, llama: Llama, asked: ChatRequest, options: Options, *, raw: bool = False
    ) -> None:
        """`raw`: the last message is the prompt itself, to be gone on with."""
        self._llama = llama
        self._raw = raw
        self._asked = asked
        self._options = options
        self.messages: Sequence[Message] = asked.messages or ()
        self.tools = template.usable(asked.tools)
        self.schema = grammar.check_format(asked.format)
        self._began = time.perf_counter_ns()
        self._load_seconds = 0.0
        self._prompt_ms = 0.0
        self._written_ms = 0.0
        self._written = 0
        self._prompt: list[int] = []
        self._read = 0
        self._finish = "stop"

    async def lines(self) -> AsyncGenerator[Line, None]:
        """The lines of the reply.  Raises Refusal before the first one if it cannot be given."""
        self._load_seconds = await self._llama.load(self._options.window)
        if self.schema is not None:
            rule = grammar.json_value(self.schema)
            if not await self._llama.enforces(rule):
                raise grammar.unusable(f"Unrecognized schema: {json.dumps(self.schema)}")
            steps = self._text(await self._fitted(()), rule)
        elif self.tools:
            steps = self._call_or_answer(await self._fitted(self.tools))
        else:
            steps = self._text(await self._fitted(()), None)
        async for line in steps:
            yield line
        yield self._last()

    def rendered(self) -> str:
        """The prompt as the model would be given it."""
        return self._render(self.messages, self.tools)

    def _render(self, messages: Sequence[Message], tools: Sequence[ToolFunction]) -> str:
        return (messages[-1].content or "") if self._raw else template.render(messages, tools)

    async def _fitted(self, tools: Sequence[ToolFunction]) -> list[int]:
        async def tokenise(messages: Sequence[Message]) -> list[int]:
            return await self._llama.tokens(self._render(messages, tools))

        if self._asked.truncate is False:
            return await tokenise(self.messages)
        prompt, self.messages = await window.fit(
            self.messages, tokenise, self._options.window, self._options.keep
        )
        return prompt

    async def _call_or_answer(self, prompt: list[int]) -> AsyncIterator[Line]:
        rule = grammar.choice(await self._enforceable())
        chosen = ""
        opening = prompt + await self._llama.tokens(template.CHOICE)
        async for event in self._events(opening, rule, ()):
            chosen += event["content"]
        name, _, arguments = chosen.partition("` with ")
        if chosen != f"{signatures.ANSWER}`" and self._finish == "length":
            yield self._line({"content": template.CHOICE + chosen})
        elif chosen == f"{signatures.ANSWER}`" or self._was_made(name, json.loads(arguments)):
            async for line in self._answer(prompt):
                yield line
        else:
            function = {"index": 0, "name": name, "arguments": json.loads(arguments)}
            yield self._line(
                {"content": "", "tool_calls": [{"id": _call_id(), "function": function}]}
            )

    async def _answer(self, prompt: list[int]) -> AsyncIterator[Line]:
        cue = template.answer_cue(self.messages)
        if cue:
            turn = len(await self._llama.tokens("<|im_start|>assistant\n"))
            prompt = prompt[:-turn] + await self._llama.tokens(cue)
        # Asked for one sentence, the model goes on to explain it in another paragraph.
        rule = grammar.ANSWER_FROM_RESULTS if cue else grammar.ANSWER
        async for line in self._text(prompt, rule, ("\n\n",) if cue else ()):
            yield line

    async def _text(
        self, prompt: list[int], rule: str | None, stop: Sequence[str] = ()
    ) -> AsyncIterator[Line]:
        async for event in self._events(prompt, rule, [*self._options.stop, *stop]):
            if event["content"]:
                yield self._line({"content": event["content"]}, event)

    async def _events(
        self, prompt: list[int], rule: str | None, stop: Sequence[str]
    ) -> AsyncIterator[Line]:
        allowed = self._options.tokens_allowed(
            len(prompt),
            self._llama.window,
            shift=self._asked.shift is not False,
            written=self._written,
        )
        if self._written and not allowed:
            self._finish = "length"  # the choice took all of it
            return
        asked = self._options.sampling | {
            "prompt": prompt,
            "n_predict": allowed,
            "stop": list(stop),
            "n_probs": max(self._asked.top_logprobs or 0, 1) if self._asked.logprobs else 0,
        }
        if rule is not None:
            asked["grammar"] = rule
        # What both prompts of a turn begin with is read once, whatever llama.cpp's cache holds.
        self._read += len(prompt) - _shared(self._prompt, prompt)
        self._prompt = prompt
        async for event in self._llama.complete(asked):
            if event["stop"]:
                self._finish = "length" if event["stop_type"] == "limit" else "stop"
                self._written += event["tokens_predicted"]
                self._prompt_ms += event["timings"]["prompt_ms"]
                self._written_ms += event["timings"]["predicted_ms"]
            yield event

    async def _enforceable(self) -> list[tuple[ToolFunction, JsonObject]]:
        usable = []
        for tool in self.tools:
            one = (tool, grammar.arguments_schema(tool))
            good = await self._llama.enforces(grammar.choice([one]))
            usable.append(one if good else grammar.any_arguments(tool))
        return usable

    def _was_made(self, name: str, arguments: JsonObject) -> bool:
        for message in reversed(self.messages):
            if message.role == "user":
                return False
            for call in message.tool_calls or ():
                if call.function.name == name and call.function.arguments == arguments:
                    return True
        return False

    def _line(self, message: JsonObject, event: JsonObject | None = None) -> Line:
        line: Line = {
            "model": self._asked.model,
            "created_at": rfc3339(datetime.now(UTC)),
            "message": {"role": "assistant", **message},
            "done": False,
        }
        if event is not None and self._asked.logprobs:
            line["logprobs"] = [
                _log_probability(token, self._asked.top_logprobs or 0)
                for token in event.get("completion_probabilities", ())
            ]
        return line

    def _last(self) -> Line:
        return self._line({"content": ""}) | {
            "done": True,
            "done_reason": self._finish,
            "total_duration": time.perf_counter_ns() - self._began,
            "load_duration": max(int(self._load_seconds * 1e9), 1),
            "prompt_eval_count": self._read,
            "prompt_eval_duration": int(self._prompt_ms * 1e6),
            "eval_count": self._written,
            "eval_duration": int(self._written_ms * 1e6),
        }


def folded(lines: Sequence[Line]) -> Line:
    """The lines of a reply as the one object of a request that did not ask for a stream."""
    whole = dict(lines[-1])
    message: dict[str, Any] = {
        "role": "assistant",
        "content": "".join(line["message"]["content"] for line in lines),
    }
    calls = [call for line in lines for call in line["message"].get("tool_calls", ())]
    if calls:
        message["tool_calls"] = calls
    odds = [token for line in lines for token in line.get("logprobs", ())]
    if odds:
        whole["logprobs"] = odds
    return whole | {"message": message}


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _call_id() -> str:
    return "call_" + "".join(secrets.choice(_ALPHABET) for _ in range(8))


def _log_probability(token: JsonObject, top: int) -> dict[str, Any]:
    found = {key: token[key] for key in ("token", "logprob", "bytes")}
    if top:
        found["top_logprobs"] = [
            {key: one[key] for key in ("token", "logprob", "bytes")}
            for one in token["top_logprobs"][:top]
        ]
    return found
