"""The letter that the answer to a multiple-choice question gives."""

import re
from typing import ClassVar

from typing_extensions import override

from studio.engine.metrics.answers.base import AnswerMetric

_PUBLISHED = re.compile(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?")
_STATED = re.compile(
    r"(?:(?i:answer|choice|option)(?:[ \t*_]*:|(?i:[ \t]+is\b)(?:[ \t*_]*:)?)"
    r"|(?i:\b(?:choose|chose|pick|select)\b(?:[ \t]+(?:answer|choice|option)\b)?|<answer>))"
    r"[\s*_]*[(\[$]*(?:\\boxed\{|\\text\{)*"
    # A small letter may be the article "a", unless it ends its line.
    r"(?:([A-Z])(?![\w'’])|([a-z])[)\].}$*_]*[ \t]*$)"
    # Who names two has chosen none.
    r"(?![)\].*_\s]*(?i:or|and|/|&)[\s(\[*_]*[A-Z](?![\w'’]))",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?i:\b(?:option|choice))[ \t]+[(\[*_]*([A-Z])(?![\w'’])")
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?\(?([A-Z])\)?\}")
_ALONE = re.compile(r"[\s(\[*_\"'$]*([A-Za-z])[\s)\].:*_\"'$]*")
_LEADING = re.compile(r"\s*[(\[*]*([A-Z])[)\].:*]+(?:\s|$)")


class MultipleChoice(AnswerMetric, frozen=True):
    """1 if the answer chooses the right letter, else 0.

    Not scored when the query states no right letter.  No answer, or none that can be read, is 0.

    Published (simple-evals, GPQA): the letter behind the first "Answer:", A to D, compared as it is
    written.  So "answer: b" is wrong, and the first of two answers counts.  Corrected: the last
    letter stated ("Answer: B", "the answer is (B)", "I choose B", a boxed B; "B or C" states
    none), else a letter alone or at the beginning ("B", "(B)", "B. Paris"), else the one option
    that is named ("option B"); A to Z; case aside.
    """

    name: ClassVar[str] = "multiple_choice"
    title: ClassVar[str] = "Multiple choice"
    version: ClassVar[str] = "2"

    @override
    def is_right(self, answer: str, gold: str) -> bool:
        if self.mode == "published":
            found = _PUBLISHED.search(answer)
            return found is not None and found.group(1) == gold
        return chosen(answer) == gold.strip().strip("()[].:").upper()


def chosen(answer: str) -> str | None:
    """The letter that the answer chooses, as a capital; None where none can be read."""
    stated = [*_STATED.finditer(answer), *_BOXED.finditer(answer)]
    if stated:
        last = max(stated, key=re.Match.start)
        return "".join(filter(None, last.groups())).upper()
    found = _ALONE.fullmatch(answer) or _LEADING.match(answer)
    if found:
        return found.group(1).upper()
    options = set(_OPTION.findall(answer))
    return options.pop() if len(options) == 1 else None
