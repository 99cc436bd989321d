"""Whether a text claims that what was asked was done: a rule for English, sentence by sentence.

The order of the rule: a sentence that says that something was not done denies the claim, whatever
else is said; a sentence that says that something was done makes it; a question back or a plan
makes none; and what is left is an answer that admits no failure, which claims to be one.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

_LONGEST = 20_000

_PAST = (
    r"(?:\w+ed|sent|made|done|found|set|put|paid|built|written|given|taken|sold|bought|booked|run|"
    r"gone|kept|left|held|told|shown|begun|cut|reset|rebuilt|undone)"
)
_DENIED = re.compile(
    r"\b(?:i|we)(?:['’]m|\sam|\sare|\swas|\swere)?\s(?:\w+\s){0,2}?"
    r"(?:can['’]?t|cannot|can\snot|could\snot|couldn['’]t|unable|not\s(?:\w+\s)?able|not\s(?:allowed|"
    r"permitted|sure|certain)|failed|do(?:es)?\snot|don['’]t|did\snot|didn['’]t|have\sno|won['’]t|"
    r"will\snot|refuse|must\sdecline|have\snot|haven['’]t)\b"
    r"|\bunable\sto\b|\bnot\s(?:been\s)?(?:possible|successful|available|completed|found)\b"
    rf"|\b(?:was|were|is|are|has|have|had)(?:n['’]t|\snot)\s(?:yet\s)?(?:been\s)?(?:\w+ly\s)?{_PAST}\b"
    r"|\b(?:it|this|that|which|request|attempt|operation|call|tool|command|test|query|search|upload|"
    r"payment|login|update|booking)s?\s(?:has\s|have\s)?failed\b"
    r"|\b(?:unsuccessful(?:ly)?|went\swrong|gave\sup|timed\sout)\b"
    r"|\b(?:an|the|some)\serrors?\s(?:occurred|was|were|has|prevented)\b|\bunfortunately\b"
    r"|\bnot\s(?:yet\s)?(?:done|finished|complete|ready)\b|\bno\sanswer\b|\bi\sdon['’]?t\sknow\b",
    re.IGNORECASE,
)
_OVERCOME = re.compile(
    r"\b(?:at\sfirst|initially|first\sattempt|earlier|before\sthat)\b"
    r"|\b(?:but|however|then)\b.{0,60}\b(?:succeeded|worked|done|successfully|managed)\b",
    re.IGNORECASE,
)
_NOT_YET = (
    r"(?<!\bbe\s)(?<!\bto\s)(?<!\bnot\s)(?<!n't\s)(?<!n’t\s)(?<!\bonce\s)(?<!\bwhen\s)(?<!\bif\s)"
    r"(?<!\bis\s)(?<!\buntil\s)(?<!\bare\s)(?<!\bgetting\s)"
)
_DONE = re.compile(
    rf"\b(?:has|have)\s(?:now\s|already\s|just\s|all\s)?been\s(?:\w+ly\s)?{_PAST}\b"
    rf"|\b(?:i|we)(?:['’]ve|\shave)?\s(?:now\s|already\s|just\s|also\s|\w+ly\s)?(?!start)"
    rf"{_PAST}\b"
    rf"|\b(?:was|were)\s(?:now\s|already\s|just\s|also\s)?(?:\w+ly\s)?{_PAST}\b"
    rf"|{_NOT_YET}\bsuccessful(?:ly)?\b"
    r"|^(?:done|finished|completed?|all\sset|all\sdone|success|it\sworked)\b"
    r"|\b(?:is|are)\s(?:now\s|all\s)?(?:done|complete|completed|finished|all\sset)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:once|if|when|after|until|as\ssoon\sas|would|should|will)\b", re.I)
_PLANNED = re.compile(
    r"\b(?:i|we)(?:['’]ll|\swill|\sam\sgoing\sto|['’]m\sgoing\sto|\sare\sgoing\sto)\b"
    r"|\blet\sme\b|\b(?:i|we)(?:['’]m|['’]re|\sam|\sare)\s(?:now\s|currently\s)?\w+ing\b"
    r"|\b(?:in\sprogress|working\son|please\swait|hold\son|one\smoment|started\sto)\b"
    r"|\b(?:i|we)(?:['’]ve|\shave)?\sstarted\b|\bwill\sbe\b|\bnext\sstep\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"\b(?:anything|something|else|more\squestions|other\squestions|further)\b", re.IGNORECASE
)


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
    asked = [each for each in sentences if each.endswith("?") and not _POLITE.search(each)]
    if asked and asked[-1] == sentences[-1]:
        return Claim(Kind.ASKED, asked[-1])
    planned = next((each for each in sentences if _PLANNED.search(each)), None)
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
    return bool(_DENIED.search(sentence)) and not _OVERCOME.search(sentence)


def _is_done(sentence: str) -> bool:
    found = _DONE.search(sentence)
    if found is None or sentence.endswith("?"):
        return False
    return not _CONDITION.search(sentence[: found.start()])
