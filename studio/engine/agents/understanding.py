"""What a reply of the model means: its answer, its thinking and the tool calls it asks for.

Calls that the server reported win; where it reported none, those that the model wrote into its
text are taken, and marked.  The raw text stays what it was.
"""

from collections.abc import Mapping

import msgspec

from studio.engine.events import CallMade
from studio.engine.models.exchange import MENDED, Exchange, WireCall
from studio.engine.models.found_calls import decoded_arguments, find
from studio.engine.records import JsonObject

FOUND = "found in text"
REPAIRED = "repaired"
CUT_OFF = "cut off at the token limit"
NATIVE = "native"


class Understood(msgspec.Struct, frozen=True):
    """A reply as it was understood; `answer` is its text without thinking and without calls."""

    answer: str
    thinking: str
    calls: tuple[CallMade, ...]
    marks: tuple[str, ...]
    done_reason: str | None

    @property
    def blank_reason(self) -> str:
        """Why there is no text in it, in words."""
        if self.done_reason == "length":
            return "Empty answer: the reply was cut at the token limit (num_predict or num_ctx)."
        if self.thinking.strip():
            return "Empty answer: the model only thought."
        return "Empty answer: the model wrote nothing."


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
    calls = tuple(
        CallMade(f"{call}.{place}", name, arguments, origin)
        for place, (name, arguments, origin) in enumerate(made, start=1)
    )
    unique = tuple(dict.fromkeys(marks))
    return Understood(answer, thinking, calls, unique, exchange.done_reason)


def _native(call: WireCall, schemas: Mapping[str, JsonObject]) -> tuple[str, JsonObject, str]:
    """Lists and objects that the model wrote as strings are decoded where the schema wants them."""
    arguments = decoded_arguments(call.arguments, schemas.get(call.name, {}))
    is_mended = call.mended or arguments != call.arguments
    return call.name, arguments, REPAIRED if is_mended else NATIVE
