"""What a probe saw, read into what the model can do: a pure function."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import jsonschema
import msgspec

from studio.engine.models import found_calls
from studio.engine.models.found_calls.thinking import split_thinking
from studio.engine.models.probe.asking import Observed, Seen
from studio.engine.models.probe.questions import SCHEMA, TOOL, Step
from studio.engine.models.window import Counts, cut
from studio.engine.offers import FoundModel, Guard, Probe, Thinking, ToolCalls
from studio.engine.outcomes import FailureClass
from studio.engine.plain import plain_text

_SHOWN = 160
_FENCED = re.compile(r"\s*```\w*\s*\{")
_NOT_ASKED = "Not asked: the model gave no answer to the first question."
_REFUSES_TOOLS = "The server refuses tools for it: its template has no place for them."


class _Finding(NamedTuple):
    """What was found, None if nothing could be, and by what."""

    value: Any
    reason: str


def read(model: FoundModel, observed: Observed, *, server: str, version: str, at: float) -> Probe:
    """The probe of `model` on the server, made at the Unix time `at`.

    Never raises: what cannot be told from what was seen is None, with the reason.
    """
    seen = observed.seen
    findings = {
        "answers": _answers(seen),
        "tools": _tools(seen),
        "schema": _schema(seen),
        "window": _window(seen, observed.window_asked),
        "thinking": _thinking(seen, model),
    }
    first = seen.get(Step.ANSWER) or Seen({})
    return Probe(
        server=server,
        server_version=version,
        model=model.name,
        digest=model.digest,
        at=at,
        prompt_speed=_speed(first.prompt_tokens, first.prompt_seconds),
        reply_speed=_speed(first.reply_tokens, first.reply_seconds),
        load_seconds=first.load_seconds if observed.was_freed else None,
        window_asked=observed.window_asked,
        window_allocated=observed.loaded.window if observed.loaded else None,
        reasons={name: found.reason for name, found in findings.items()},
        **{name: found.value for name, found in findings.items()},
    )


def _answers(seen: Mapping[Step, Seen]) -> _Finding:
    first = seen.get(Step.ANSWER)
    if first is None:
        return _Finding(None, "Not asked.")
    if first.failure is not None:
        is_known = not first.is_lost and first.failure is not FailureClass.TIME_OUT
        return _Finding(False if is_known else None, first.problem)
    thinking, answer = split_thinking(first.text)
    if answer.strip():
        return _Finding(True, f"It answered: {_shown(answer)}")
    if first.thinking or thinking:
        return _Finding(False, "It only thought, and had not answered when its tokens ran out.")
    return _Finding(False, "Its answer was empty.")


def _tools(seen: Mapping[Step, Seen]) -> _Finding:
    tries = [seen[step] for step in (Step.TOOLS, Step.TOOLS_AGAIN) if step in seen]
    if not tries:
        return _Finding(None, _NOT_ASKED)
    found = sorted(map(_tool_call, tries), key=_by_kind)
    best = found[0]
    if len({each.value for each in found}) > 1:
        return best._replace(reason=f"In one of two tries. {best.reason}")
    return best


def _by_kind(found: _Finding) -> int:
    return (ToolCalls.NATIVE, ToolCalls.AS_TEXT, ToolCalls.NONE, None).index(found.value)


def _tool_call(seen: Seen) -> _Finding:
    function = TOOL["function"]
    if seen.failure is FailureClass.SERVER and "does not support tools" in seen.problem:
        return _Finding(
            ToolCalls.NONE, "The server refuses tools for it: its template has no place for them."
        )
    if seen.failure is not None:
        kind = ToolCalls.NONE if seen.failure is FailureClass.MODEL_OUTPUT else None
        return _Finding(kind, seen.problem)
    if seen.calls:
        call = seen.calls[0]
        return _Finding(ToolCalls.NATIVE, f"It called {_call(call.name, call.arguments)}")
    found = found_calls.find(seen.text, {function["name"]: function["parameters"]})
    if found.calls:
        written = found.calls[0]
        called = _call(written.name, written.arguments)
        return _Finding(
            ToolCalls.AS_TEXT, f"It wrote its call into the text ({written.form}): {called}"
        )
    marks = f" ({', '.join(found.marks)})" if found.marks else ""
    said = _shown(found.answer) if found.answer else "nothing"
    return _Finding(ToolCalls.NONE, f"Asked to call a tool, it said{marks}: {said}")


def _schema(seen: Mapping[Step, Seen]) -> _Finding:
    plain, thinking = seen.get(Step.SCHEMA), seen.get(Step.SCHEMA_THINKING)
    if plain is None:
        return _Finding(None, _NOT_ASKED)
    first = _kept_to_schema(plain)
    if thinking is None:
        return first
    second = _kept_to_schema(thinking)
    if first.value and second.value:
        return _Finding(True, f"With thinking and without. {first.reason}")
    if first.value:
        return _Finding(True, f"Only with thinking off; with thinking: {second.reason}")
    if second.value:
        return _Finding(True, f"Only while it thinks; with thinking off: {first.reason}")
    return first


def _kept_to_schema(seen: Seen) -> _Finding:
    if seen.failure is not None:
        return _Finding(None, seen.problem)
    try:
        value = msgspec.json.decode(seen.text.strip())
    except (msgspec.DecodeError, RecursionError):
        return _Finding(False, _no_json(seen))
    error = next(jsonschema.Draft202012Validator(SCHEMA).iter_errors(value), None)
    if error is not None:
        return _Finding(False, f"Its JSON breaks the schema ({_shown(error.message)}).")
    return _Finding(True, f"It wrote: {_shown(seen.text)}")


def _no_json(seen: Seen) -> str:
    if not seen.text.strip():
        return "It wrote nothing but thinking." if seen.thinking else "It wrote nothing."
    if seen.done_reason == "length":
        return f"It was not done when its tokens ran out: {_shown(seen.text)}"
    what = "its JSON into a fence" if _FENCED.match(seen.text) else "no JSON"
    return f"It wrote {what}: {_shown(seen.text)}"


def _window(seen: Mapping[Step, Seen], window: int) -> _Finding:
    asked = seen.get(Step.WINDOW)
    if asked is None:
        return _Finding(None, _NOT_ASKED)
    if asked.failure is FailureClass.TRUNCATED:
        return _Finding(Guard.REFUSES, asked.problem)
    if asked.failure is not None:
        return _Finding(None, asked.problem)
    if asked.prompt_tokens is None:
        # It may have cut the prompt, or have taken a larger window.
        return _Finding(None, "The server did not say how many tokens it read.")
    if found := cut(asked.sent, Counts(asked.prompt_tokens)):
        return _Finding(Guard.CUTS, found.problem)
    return _Finding(
        Guard.READS_ALL,
        f"It read {asked.prompt_tokens:,} tokens though a window of {window:,} was asked for.",
    )


def _thinking(seen: Mapping[Step, Seen], model: FoundModel) -> _Finding:
    first = seen.get(Step.ANSWER)
    if first is None or first.failure is not None:
        return _Finding(None, _NOT_ASKED)
    asked = seen.get(Step.THINKING)
    in_text = any(split_thinking(each.text).thinking for each in (first, asked) if each)
    always = " It thinks also when it is told not to." if asked and first.thinking else ""
    if (asked and asked.thinking) or first.thinking:
        return _Finding(Thinking.APART, f"Its thinking is kept apart from the answer.{always}")
    if in_text:
        return _Finding(Thinking.IN_TEXT, "It writes its thinking into the text, between tags.")
    if asked is not None and asked.failure is not None:
        return _Finding(None, asked.problem)
    if asked is not None:
        return _Finding(Thinking.NONE, "It can think by its template, and did not when asked.")
    if model.capabilities is None:
        return _Finding(Thinking.NONE, "It did not think; the server does not say if it can.")
    return _Finding(Thinking.NONE, "Its template has no place for thinking.")


def _speed(tokens: int | None, seconds: float | None) -> float | None:
    return tokens / seconds if tokens and seconds else None


def _call(name: str, arguments: object) -> str:
    return _shown(f"{name}({msgspec.json.encode(arguments).decode()})")


def _shown(text: str) -> str:
    return plain_text(" ".join(text.split())[: _SHOWN * 4], _SHOWN).split("\n[cut")[0]
