r"""The right answer stands in the answer, between word boundaries: BFCL's agentic match."""

import re
import unicodedata
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import AnswerMetric

_MARKS = re.compile(r"[\,\.\/\-\_\*\^\(\)]")


class AgenticMatch(AnswerMetric, frozen=True):
    r"""1 if one of the right answers stands in the answer as whole words, else 0.

    Not scored when the query states no answer.  No answer scores 0.

    Published (BFCL v4, agentic checker): without `, . / - _ * ^ ( )`, in lower case, between two
    `\b`.  So "3.5" is "35", and an answer that begins or ends with another sign ("$5", "50%") is
    found only where a letter or digit stands on its other side.  Corrected: these marks stay within
    numbers, white space is any white space, and the boundary is that of the right answer.
    """

    name: ClassVar[str] = "agentic_match"
    title: ClassVar[str] = "Agentic match"

    @override
    def is_right(self, answer: str, gold: str) -> bool:
        if self.mode == "published":
            return _published(answer, gold)
        return _corrected(answer, gold)

    @override
    def text_given(self, given: Any) -> str | None:
        is_listed = isinstance(given, list) and given and self.mode == "published"
        return super().text_given(given[:1] if is_listed else given)


def _published(answer: str, gold: str) -> bool:
    pattern = rf"\b{re.escape(_plain(gold))}\b"
    return re.search(pattern, _plain(answer)) is not None


def _plain(text: str) -> str:
    return _MARKS.sub("", text).lower().replace("'", '"')


_LOOSE_MARKS = re.compile(r"(?<!\d)[,./_*^()-]+|[,./_*^()-]+(?!\d)")


def _corrected(answer: str, gold: str) -> bool:
    wanted = _spaced(gold)
    if not wanted:
        return False
    before = r"(?<![\w])(?<!\d[.,])" if wanted[0].isalnum() else ""
    after = r"(?![\w])(?![.,]\d)" if wanted[-1].isalnum() else ""
    return re.search(before + re.escape(wanted) + after, _spaced(answer)) is not None


def _spaced(text: str) -> str:
    """In lower case and one kind of characters, marks that part no digits as blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("'", '"')
    return " ".join(_LOOSE_MARKS.sub(" ", plain).split())
