"""What an agent says of its own work, as metrics of one trial."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

import msgspec
from typing_extensions import override

from studio.engine.metrics.answers.base import first_of, given_in
from studio.engine.metrics.base import Better, Metric, Verdict, no_answer
from studio.engine.metrics.confidence.claims import claim_in
from studio.engine.metrics.confidence.stated import Numbers, stated_in
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_LONGEST_TOLD = 80
_NO_ANSWER = "the case gives no answer"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class StatedConfidence(Metric, frozen=True):
    """The confidence that the answer states, from 0 to 1 (see `stated`).

    It says how sure the agent is, not how good it is.  Not scored: where none is stated, or its
    scale cannot be told.  Source: the course module, verbalised confidence.
    """

    name: ClassVar[str] = "stated_confidence"
    title: ClassVar[str] = "Stated confidence"
    better: ClassVar[Better] = "none"
    known_by: ClassVar[tuple[str, ...]] = ("confidence", "stated_confidence")

    numbers: Numbers = "auto"
    words: dict[str, Share] = msgspec.field(default_factory=dict)

    @override
    def __hash__(self) -> int:
        return hash((self.numbers, msgspec.json.encode(self.words)))

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        missed = no_answer(trace)
        return Verdict(None, missed) if missed else self._in(trace.answer or "")

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that names the confidence: a number, or a text such as "8/10"."""
        stated = first_of(case, self.known_by)
        if isinstance(stated, bool) or not isinstance(stated, int | float | str):
            return Verdict(None, "the confidence must be a number or a text")
        if isinstance(stated, float) and abs(stated) < 1:
            stated = f"{stated:f}"
        return self._in(f"confidence: {stated}")

    def _in(self, text: str) -> Verdict:
        found = stated_in(text, self.numbers, self.words)
        if found is None:
            return Verdict(None, "the answer states no confidence")
        told = _shown(found.text)
        if found.value is None:
            return Verdict(None, f"the confidence {told} cannot be read: {found.problem}")
        return Verdict(found.value, f"stated as {told}", {"stated": found.text})


class ClaimedSuccess(Metric, frozen=True):
    """1 if the answer claims that what was asked was done, else 0 (see `claims`).

    A claim says nothing of whether it is true.  No answer claims nothing.  `done` and `not_done`
    are further phrases, also of other languages.  Source: the course module, claimed success.
    """

    name: ClassVar[str] = "claimed_success"
    title: ClassVar[str] = "Claimed success"
    is_binary: ClassVar[bool] = True
    better: ClassVar[Better] = "none"
    known_by: ClassVar[tuple[str, ...]] = ("claimed_success", "claimed")

    done: tuple[str, ...] = ()
    not_done: tuple[str, ...] = ()

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed, {"kind": "no answer"})
        return self._of(trace.answer or "")

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that says itself whether success was claimed."""
        stated = first_of(case, self.known_by)
        if stated is None:
            answer = given_in(case)
            return self._of(answer) if isinstance(answer, str) else Verdict(0.0, _NO_ANSWER)
        if not isinstance(stated, bool):
            return Verdict(None, "claimed_success must be true or false")
        return Verdict(float(stated), "as the case states it", {"kind": "stated"})

    def _of(self, answer: str) -> Verdict:
        if not answer.strip():
            return Verdict(0.0, _NO_ANSWER, {"kind": "no answer"})
        kind, sentence = claim = claim_in(answer, self.done, self.not_done)
        evidence: Mapping[str, str] = {"kind": kind.name.lower(), "sentence": sentence[:500]}
        return Verdict(float(claim.is_claimed), f"{kind.value}: {_shown(sentence)}", evidence)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…")
