"""Of all the numbers of a text, those that it gives as its answer."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from studio.engine.metrics.numbers.number import Number

_MARKER = re.compile(
    r"\banswer\b[\"'*_`\s]{0,4}(?::|=|\bis\b)|^#### |\\boxed ?\{", re.IGNORECASE | re.MULTILINE
)
_BREAK = re.compile(r"[.;,:!?](?=\s|$)|\n|\b(?:and|so|which|thus|hence|therefore)\b|=>|→|⇒")
_EQUALS = re.compile(r"(?<![<>!=:])=(?![=>])|≈|≃|≅|\\approx")


def conclusion(text: str, numbers: Sequence[Number]) -> tuple[Number, ...]:
    r"""The numbers that the text ends up with, of all its `numbers` in their order.

    If it marks its answer ("Answer:", "the answer is", `\boxed{...}`, "####"), those after the
    last mark on the same line, or below it if that line has none.  Of a calculation only what
    stands after its last equals sign: "256 + 37 = 293" says 293.
    """
    starts = [number.start for number in numbers]
    marked = _marked(text, numbers, starts)
    operands = _operands(text, numbers, starts)
    return tuple(number for number in marked if number not in operands)


def _marked(text: str, numbers: Sequence[Number], starts: list[int]) -> Sequence[Number]:
    last = None
    for match in _MARKER.finditer(text):
        last = match
    if last is None:
        return numbers
    after = numbers[bisect_left(starts, last.end()) :]
    line_end = text.find("\n", last.end())
    on_the_line = [number for number in after if line_end < 0 or number.start < line_end]
    return on_the_line or after


def _operands(text: str, numbers: Sequence[Number], starts: list[int]) -> set[Number]:
    """The numbers to the left of an equals sign in the same clause."""
    operands: set[Number] = set()
    begin = 0
    for end in [*(match.start() for match in _BREAK.finditer(text)), len(text)]:
        clause = numbers[bisect_left(starts, begin) : bisect_left(starts, end)]
        equals = [match.start() for match in _EQUALS.finditer(text, begin, end)]
        if clause and equals:
            left = [number for number in clause if number.end <= equals[-1]]
            right = len(clause) - len(left)
            # "5 = 2 + 3" states 5 as well; a sign with nothing after it states what is before.
            if right == 1 or (right > 1 and len(left) > 1):
                operands.update(left)
        begin = end
    return operands
