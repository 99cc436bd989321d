"""GAIA's quasi-exact match: numbers, lists and texts, by what the right answer is."""

import math
import re
import string
import unicodedata
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import AnswerMetric

_SPACE = re.compile(r"\s")
_BETWEEN = re.compile(r"[,;]")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MARKER = re.compile(r"final[ _]answer[*_\s]*:", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_AROUND = " \t\r\n\"'“”‘’*_`"


class GaiaMatch(AnswerMetric, frozen=True):
    """1 if the answer is the right one as GAIA compares them, else 0.

    A right answer that is a number is compared as a number ($, % and commas aside), one with a
    comma or semicolon as a list in its order, any other as text without white space, punctuation
    and case.  Not scored when the query states no answer.  No answer scores 0.

    Published (GAIA's scorer, Mialon et al. 2023): the whole answer, so "FINAL ANSWER: 17" is wrong;
    no answer is "None"; what is no number counts as infinity, so "inf" accepts any answer; "1,000"
    as the right answer is a list.  Corrected: what follows the last "FINAL ANSWER:" counts, and
    none of these holds.
    """

    name: ClassVar[str] = "gaia_match"
    title: ClassVar[str] = "GAIA quasi-exact match"

    @override
    def is_right(self, answer: str, gold: str) -> bool:
        if self.mode == "published":
            return _published(answer, gold)
        return _corrected(final_answer(answer), gold.strip())

    @override
    def text_given(self, given: Any) -> str | None:
        # The scorer writes "None" in place of an answer that is missing.
        return super().text_given("None" if given is None and self.mode == "published" else given)


def final_answer(text: str) -> str:
    """What follows the last "FINAL ANSWER:", or the whole text."""
    places = list(_MARKER.finditer(text))
    return (text[places[-1].end() :] if places else text).strip(_AROUND)


def _published(answer: str, gold: str) -> bool:
    number = _float(gold)
    if number is not None:
        return _amount(answer) == number
    if not _BETWEEN.search(gold):
        return _bare(answer).translate(_PUNCTUATION) == _bare(gold).translate(_PUNCTUATION)
    golds, answers = _BETWEEN.split(gold), _BETWEEN.split(answer)
    return len(golds) == len(answers) and all(map(_same_item, answers, golds))


def _same_item(answer: str, gold: str) -> bool:
    number = _float(gold)
    return _bare(answer) == _bare(gold) if number is None else _amount(answer) == number


def _amount(text: str) -> float:
    """The number in the published reading: infinity where there is none."""
    found = _float(_without_signs(text))
    return math.inf if found is None else found


def _without_signs(text: str) -> str:
    return text.replace("$", "").replace("%", "").replace(",", "")


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _bare(text: str) -> str:
    return _SPACE.sub("", text).lower()


def _corrected(answer: str, gold: str) -> bool:
    answer, gold = (unicodedata.normalize("NFKC", text) for text in (answer, gold))
    number = _number(gold)
    if number is not None:
        return _number(answer.rstrip(".")) == number
    if not _BETWEEN.search(gold):
        one, other = (_bare(text).translate(_PUNCTUATION) for text in (answer, gold))
        # A text of nothing but punctuation has nothing left to compare.
        return one == other if other else _bare(answer) == _bare(gold)
    golds, answers = _BETWEEN.split(gold), _BETWEEN.split(answer.rstrip("."))
    return len(golds) == len(answers) and all(map(_same_corrected, answers, golds))


def _same_corrected(answer: str, gold: str) -> bool:
    number = _number(gold)
    return _bare(answer) == _bare(gold) if number is None else _number(answer) == number


def _number(text: str) -> float | None:
    """A finite number; commas only where they group thousands."""
    text = text.strip().strip("$%").strip()
    if "," in text:
        if not _GROUPED.fullmatch(text):
            return None
        text = text.replace(",", "")
    found = _float(text)
    return found if found is not None and math.isfinite(found) else None
