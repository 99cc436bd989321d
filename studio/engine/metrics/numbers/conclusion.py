"""Of all the numbers of a text, those that it gives as its answer."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import takewhile

from studio.engine.metrics.numbers.number import Number

_MARKER = re.compile(
    r"\banswer\b[\"'*_`\s]{0,4}(?::|=|\bis\b)|^#### |\\boxed ?\{", re.IGNORECASE | re.MULTILINE
)
_EQUALS = re.compile(r"(?<![<>!=:])=(?![=>])|≈|≃|≅|\\approx")
_BREAK = re.compile(r"[;:!?\n\"]|[.,](?:\s|$)|=>|→|⇒")
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS = frozenset({"plus", "minus", "times", "divided", "multiplied", "by", "of", "over", "x"})
_NO_OPERANDS = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "because", "but", "costs", "for", "from", "given",
        "has", "hence", "if", "in", "is", "on", "rate", "since", "so", "the", "then", "therefore",
        "thus", "to", "using", "was", "when", "where", "which", "with",
    }
)  # fmt: skip
_LONGEST_LINK = 40
_MOST_WORDS = 2


def conclusion(text: str, numbers: Sequence[Number]) -> tuple[Number, ...]:
    r"""The numbers that the text ends up with, of all its `numbers` in their order.

    If it marks its answer ("Answer:", "the answer is", `\boxed{...}`, "####"), those after the
    last mark on the same line, or below it if that line has none.  Of a calculation only what
    stands after its last equals sign: "256 + 37 = 293" says 293.
    """
    starts = [number.start for number in numbers]
    marked = _marked(text, numbers, starts)
    operands = _operands(text, numbers, starts)
    return tuple(number for number in marked if number.start not in operands)


def marked_part(text: str) -> str:
    """What stands behind the last mark of an answer, on its line or below; all without a mark."""
    last = _last_mark(text)
    if last is None:
        return text
    line, _, below = text[last.end() :].partition("\n")
    return line if any(map(str.isdecimal, line)) else below


def _last_mark(text: str) -> re.Match[str] | None:
    last = None
    for match in _MARKER.finditer(text):
        last = match
    return last


def _marked(text: str, numbers: Sequence[Number], starts: list[int]) -> Sequence[Number]:
    last = _last_mark(text)
    if last is None:
        return numbers
    after = numbers[bisect_left(starts, last.end()) :]
    line_end = text.find("\n", last.end())
    on_the_line = [number for number in after if line_end < 0 or number.start < line_end]
    return on_the_line or after


def _operands(text: str, numbers: Sequence[Number], starts: list[int]) -> set[int]:
    """Where the numbers start that are only the left side of an equation."""
    operands: set[int] = set()
    for sign in _EQUALS.finditer(text):
        right = bisect_left(starts, sign.end())
        if right == len(numbers) or not _is_link(text[sign.end() : numbers[right].start]):
            continue
        expression = _linked_before(text, numbers, right, sign.start())
        left = list(takewhile(lambda start: start not in operands, expression))
        if len(left) == 1 and _is_calculation(text, numbers[right : right + 2]):
            continue  # "5 = 2 + 3" states the 5
        operands.update(left)
    return operands


def _linked_before(text: str, numbers: Sequence[Number], count: int, end: int) -> Iterator[int]:
    """The starts of those of the first `count` numbers that make one expression up to `end`."""
    for at in range(count - 1, -1, -1):
        if not _is_link(text[numbers[at].end : end]):
            return
        yield numbers[at].start
        end = numbers[at].start


def _is_link(gap: str) -> bool:
    """Whether what stands between two numbers can belong to a calculation."""
    if len(gap) > _LONGEST_LINK or _BREAK.search(gap) or gap.count("(") > gap.count(")") + 1:
        return False
    words = [word.lower() for word in _WORD.findall(gap)]
    others = [word for word in words if word not in _OPERATORS]
    return len(others) <= _MOST_WORDS and not _NO_OPERANDS.intersection(others)


def _is_calculation(text: str, two: Sequence[Number]) -> bool:
    """Whether the first of two numbers is calculated with, and nothing is set equal to that."""
    gap = text[two[0].end : two[-1].start] if len(two) == 2 else ""
    return bool(gap.strip()) and _is_link(gap) and not _EQUALS.search(gap)
