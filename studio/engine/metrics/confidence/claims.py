"""Whether a text claims that what was asked was done: a rule for English, sentence by sentence.

The order of the rule: a sentence that says that something was not done denies the claim, whatever
else is said; a sentence that says that something was done makes it; a question back or a plan
makes none; and what is left is an answer that admits no failure, which claims to be one.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from studio.engine.metrics.confidence.claim_words import (
    ASKED,
    CONDITION,
    DENIED,
    DONE,
    OVERCOME,
    PLANNED,
    POLITE,
)

_LONGEST = 20_000


class Kind(StrEnum):
    """Why a text counts as a claim or as none."""

    DENIED = "it says that something was not done"
    DONE = "it says that it was done"
    ASKED = "it asks back"
    PLANNED = "it says what is going to be done"
    ANSWERED = "it gives an answer and admits no failure"


class Claim(NamedTuple):
    """`sentence` is the one that decided."""

    kind: Kind
    sentence: str

    @property
    def is_claimed(self) -> bool:
        return self.kind in {Kind.DONE, Kind.ANSWERED}


def claim_in(text: str, done: Sequence[str] = (), not_done: Sequence[str] = ()) -> Claim:
    """What the text claims; `done` and `not_done` are further phrases that say so.

    The text must hold something: no answer claims nothing, and is not asked about here.
    """
    sentences = _sentences(text[-_LONGEST:])
    for sentence in sentences:
        if _holds(sentence, not_done) or _is_denied(sentence):
            return Claim(Kind.DENIED, sentence)
    for sentence in sentences:
        if _holds(sentence, done) or _is_done(sentence):
            return Claim(Kind.DONE, sentence)
    asked = [each for each in sentences if _is_asked(each)]
    if asked and (asked[-1] == sentences[-1] or not asked[-1].endswith("?")):
        return Claim(Kind.ASKED, asked[-1])
    planned = next((each for each in sentences if PLANNED.search(each)), None)
    if planned is not None:
        return Claim(Kind.PLANNED, planned)
    return Claim(Kind.ANSWERED, sentences[-1] if sentences else "")


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+|\n+|;\s", text)
    return [" ".join(part.strip("*_#>-• \t").split()) for part in parts if part.strip()]


def _holds(sentence: str, phrases: Sequence[str]) -> bool:
    low = sentence.casefold()
    return any(phrase.strip() and phrase.casefold() in low for phrase in phrases)


def _is_denied(sentence: str) -> bool:
    return bool(DENIED.search(sentence)) and not OVERCOME.search(sentence)


def _is_asked(sentence: str) -> bool:
    if POLITE.search(sentence):
        return False
    return sentence.endswith("?") or ASKED.search(sentence) is not None


def _is_done(sentence: str) -> bool:
    found = DONE.search(sentence)
    if found is None or sentence.endswith("?"):
        return False
    return not CONDITION.search(sentence[: found.start()])
