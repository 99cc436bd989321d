"""Has the agent told what it had to tell?  As tau-bench checks it."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import GIVEN, first_of, shown, texts_of
from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w)])[-−+])?[$€£¥]?(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)(?!\.\d)"
)
_CURRENCY = "$€£¥ "


class RequiredOutputs(Metric, frozen=True):
    """1 if each required output stands in something that the agent told, else 0.

    What the agent told are its messages without tool calls, the answer among them.  Not scored
    when the query states no outputs.  No answer scores 0.

    Published (tau-bench, Yao et al. 2024): lower-cased, and the commas of the message deleted, the
    output is a part of one message.  So "10" is told by "1,100", and "1,100" can never be.
    Corrected: a number is told by an equal number only ("10" by 10.00, not by 1,100 or 10.5), a
    text by the same words, its commas and white space aside.
    """

    name: ClassVar[str] = "required_outputs"
    title: ClassVar[str] = "Required outputs"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("outputs", "required_outputs", "communicate_info")

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        outputs = query.expected.outputs
        if not outputs:
            return Verdict(None, "the query states no outputs")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        return self._told(outputs, list(_messages(trace)))

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds `outputs` and the `messages` or the answer told."""
        outputs = texts_of(first_of(case, self.known_by))
        if not outputs:
            return Verdict(None, "the case states no outputs")
        listed = case.get("messages") or case.get("traj")
        messages = _contents(listed) if isinstance(listed, list) else []
        return self._told(outputs, messages or texts_of(first_of(case, GIVEN)))

    def _told(self, outputs: Sequence[str], messages: Sequence[str]) -> Verdict:
        tells = _published if self.mode == "published" else _corrected
        missing = [each for each in outputs if not any(tells(text, each) for text in messages)]
        evidence = {"missing": missing}
        if missing:
            return Verdict(0.0, f"not told: {', '.join(map(shown, missing))}", evidence)
        return Verdict(1.0, f"told: {', '.join(map(shown, outputs))}", evidence)


def _messages(trace: Trace) -> Iterator[str]:
    yield from (reply.text for reply in trace.replies if not reply.calls)
    yield trace.answer or ""


def _contents(messages: Sequence[object]) -> list[str]:
    """The texts of the assistant in a list of messages as OpenAI writes them."""
    return [
        message["content"]
        for message in messages
        if isinstance(message, dict)
        and message.get("role") == "assistant"
        and not message.get("tool_calls")
        and isinstance(message.get("content"), str)
    ] + [message for message in messages if isinstance(message, str)]


def _published(message: str, output: str) -> bool:
    return output.lower() in message.lower().replace(",", "")


def _corrected(message: str, output: str) -> bool:
    message, output = (unicodedata.normalize("NFKC", text) for text in (message, output))
    number = _decimal(output.strip().strip(_CURRENCY))
    if number is not None:
        return number in _numbers(message)
    wanted = _words(output)
    if not wanted:
        return False
    before = r"(?<!\w)" if wanted[0].isalnum() else ""
    after = r"(?!\w)" if wanted[-1].isalnum() else ""
    return re.search(before + re.escape(wanted) + after, _words(message)) is not None


def _words(text: str) -> str:
    return " ".join(text.casefold().replace(",", " ").split())


def _numbers(text: str) -> Iterator[Decimal]:
    for found in _NUMBER.finditer(text):
        number = _decimal(found["digits"])
        if number is not None:
            yield -number if found["sign"] in ("-", "−") else number


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
