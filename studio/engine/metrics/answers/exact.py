"""The answer is the right one, letter by letter but for what does not matter."""

import re
import string
import unicodedata
from typing import ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import AnswerMetric

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_AROUND = " \t\r\n\"'“”‘’«»*_`.,;:!"


class ExactMatch(AnswerMetric, frozen=True):
    """1 if the answer is one of the right answers, else 0.

    Not scored when the query states no answer.  No answer scores 0.

    Published (SQuAD 1.1, Rajpurkar et al. 2016): lower case, ASCII punctuation and the articles a,
    an and the deleted, white space collapsed.  So "-5" is "5", "3.14" is "314", "The Who" is "who".
    Corrected: upper and lower case, kinds of characters (Unicode NFKC), white space, and quotes,
    stars and stops around the answer make no difference; everything within it does.
    """

    name: ClassVar[str] = "exact_match"
    title: ClassVar[str] = "Exact match"

    @override
    def is_right(self, answer: str, gold: str) -> bool:
        plain = _published if self.mode == "published" else _corrected
        return plain(answer) == plain(gold)


def _published(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _corrected(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.strip(_AROUND).split()) or " ".join(plain.split())
