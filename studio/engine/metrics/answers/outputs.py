"""Has the agent told what it had to tell?  As tau-bench checks it."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import first_of, given_in, said_in, shown, texts_of
from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_NUMBER = re.compile(
    r"(?<![\w.])(?<![A-Za-z]-)(?P<sign>(?<![\w)])[-−+])?[$€£¥]?"
    r"(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)(?!\.\d)"
)
_YEAR_DIGITS = 4
_CURRENCY = "$€£¥ "
_OUTPUTS = ("outputs", "required_outputs", "communicate_info")


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
    version: ClassVar[str] = "2"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = (*_OUTPUTS, "traj")

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        outputs = query.expected.outputs
        if not outputs:
            return Verdict(None, "the query states no outputs (expected: outputs)")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        return self._told(outputs, list(_messages(trace)))

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds `outputs` and the `messages` or the answer told.

        A trajectory as tau-bench stores it holds the first in its `info: task`.
        """
        outputs = texts_of(_stated(case))
        if not outputs:
            return Verdict(None, "the case states no outputs")
        given = given_in(case)
        listed = case.get("messages") or case.get("traj") or case.get("actions")
        messages = said_in(listed) if isinstance(listed, list) else []
        return self._told(outputs, messages or texts_of(given))

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


def _stated(case: JsonObject) -> Any:
    info = case.get("info")
    places = (case, case.get("task"), info.get("task") if isinstance(info, dict) else None)
    found = (first_of(place, _OUTPUTS) for place in places if isinstance(place, dict))
    return next((outputs for outputs in found if outputs is not None), None)


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
    """The numbers that are told: none within a time, a date but for its year, or an address."""
    # Loaded with the first text: listing the metrics needs none of its patterns.
    from studio.engine.metrics.numbers.others import find_others

    others = [each for each in find_others(text) if each.kind != "label"]
    starts = [each.start for each in others]
    for found in _NUMBER.finditer(text):
        place = found.start("digits")
        before = bisect_right(starts, place) - 1
        is_within = before >= 0 and place < others[before].end
        number = _decimal(found["digits"])
        is_year = is_within and others[before].kind == "date"
        if is_within and not (is_year and len(found["digits"]) == _YEAR_DIGITS):
            continue
        if number is not None:
            yield -number if found["sign"] in ("-", "−") else number


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
