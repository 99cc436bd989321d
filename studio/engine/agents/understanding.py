"""What a reply of the model means: its answer, its thinking and the tool calls it asks for.

Calls that the server reported win; where it reported none, those that the model wrote into its
text are taken, and marked.  The raw text stays what it was.
"""

from collections.abc import Mapping

import msgspec

from studio.engine.events import CallMade
from studio.engine.models.budget import window_of
from studio.engine.models.exchange import MENDED, Exchange, WireCall
from studio.engine.models.found_calls import decoded_arguments, find
from studio.engine.records import JsonObject

FOUND = "found in text"
REPAIRED = "repaired"
CUT_OFF = "cut off at the token limit"
THOUGHT = "thought though told not to"
NATIVE = "native"


class Understood(msgspec.Struct, frozen=True):
    """A reply as it was understood; `answer` is its text without thinking and without calls."""

    answer: str
    thinking: str
    calls: tuple[CallMade, ...]
    marks: tuple[str, ...]
    done_reason: str | None
    limit: str = "num_predict or num_ctx"
    """What ended the reply if it was cut off: the option by its name, with its value if known."""

    @property
    def blank_reason(self) -> str:
        """Why there is no text in it, and what to do about that, in words."""
        if self.done_reason == "length":
            thought = "the model still thought when " if self.thinking.strip() else ""
            return f"Empty answer: {thought}the reply was cut off. Raise {self.limit}."
        if self.thinking.strip():
            return "Empty answer: the model only thought. Try `think: false`, or another prompt."
        if self.marks:
            told = ", ".join(self.marks)
            return f"Empty answer: nothing that the model wrote is one ({told}). See its raw reply."
        return "Empty answer: the model wrote nothing. Another model or prompt may do better."


def understand(exchange: Exchange, schemas: Mapping[str, JsonObject], call: str) -> Understood:
    """Read the reply in `exchange`, the one to model call `call`; `schemas` by tool name."""
    text = exchange.text
    answer, thinking, marks = text, exchange.thinking, list[str]()
    made = [_native(wired, schemas) for wired in exchange.calls]
    if text.strip():
        found = find(text, schemas)
        answer, thinking = found.answer, "\n".join(filter(None, (thinking, found.thinking)))
        marks += found.marks
        if not made:
            made = [
                (each.name, each.arguments, REPAIRED if each.repaired else FOUND)
                for each in found.calls
            ]
    origins = {origin for _, _, origin in made}
    marks += [FOUND] if not exchange.calls and made else []
    marks += [MENDED if exchange.calls else REPAIRED] if REPAIRED in origins else []
    marks += [CUT_OFF] if exchange.done_reason == "length" else []
    sent = exchange.sent or {}
    marks += [THOUGHT] if thinking.strip() and sent.get("think") is False else []
    calls = tuple(
        CallMade(f"{call}.{place}", name, arguments, origin)
        for place, (name, arguments, origin) in enumerate(made, start=1)
    )
    unique = tuple(dict.fromkeys(marks))
    limit = limit_of(sent.get("options") or {}, exchange.reply_tokens)
    return Understood(answer, thinking, calls, unique, exchange.done_reason, limit)


def limit_of(options: JsonObject, written: int | None) -> str:
    """Which of its two limits ended a reply of so many tokens: its own, or the window's end."""
    most = options.get("num_predict")
    if not isinstance(most, int) or most <= 0:
        return f"num_ctx ({window_of(options):,})"
    if written is None or written >= most:
        return f"num_predict ({most:,})"
    return f"num_ctx ({window_of(options):,})"


def _native(call: WireCall, schemas: Mapping[str, JsonObject]) -> tuple[str, JsonObject, str]:
    """Lists and objects that the model wrote as strings are decoded where the schema wants them."""
    arguments = decoded_arguments(call.arguments, schemas.get(call.name, {}))
    is_mended = call.mended or arguments != call.arguments
    return call.name, arguments, REPAIRED if is_mended else NATIVE
