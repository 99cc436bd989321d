"""Finds every number of a text and reads it with what stands around it."""

import math
import re
from collections.abc import Iterator

from studio.engine.metrics.numbers.after import After, is_letter_or_digit, read_after
from studio.engine.metrics.numbers.before import Before, read_before
from studio.engine.metrics.numbers.digits import Reading
from studio.engine.metrics.numbers.number import Kind, Number
from studio.engine.metrics.numbers.others import find_others
from studio.engine.metrics.numbers.ranges import with_ranges
from studio.engine.metrics.numbers.runs import Run, find_runs, like_ascii, settled
from studio.engine.metrics.numbers.words import read_words

_REST_OF_WORD = re.compile(r"[\w-]*")
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|by|from|until|till|during|before|after|year|of|mid|early|late)[ -]\(?\Z",
    re.IGNORECASE,
)
_STATED = re.compile(r"(?:\A|[:=]|\b(?:is|are|was|were|be|equals|exactly|only|just))\s*\Z")
_COMMAND = re.compile(r"\\[A-Za-z]+\Z")
_CELL_BEFORE = re.compile(r"(?:\A|[\n|\t])[ *]{0,3}\Z")
_CELL_START = re.compile(r"[\n|\t][ *]{0,3}\Z")
_CELL_END = re.compile(r"\)[ *]{0,3}(?:\Z|[\n|\t])")


def scan(text: str) -> tuple[Number, ...]:
    """Every quantity in `text`, in order; not what only looks like one (see others.py)."""
    plain = like_ascii(text)
    others = find_others(plain)
    runs = list(find_runs(plain, others))
    marks = {run.digits.mark for run in runs} - {""}
    mark = marks.pop() if len(marks) == 1 else ""
    numbers: list[Number] = []
    taken = [(other.start, other.end) for other in others]
    floor = 0
    for run in runs:
        if run.start < floor:
            continue
        number, floor = _read(text, plain, settled(run, mark), floor)
        taken.append((run.start if number is None else number.start, floor))
        if number is not None:
            numbers.append(number)
    numbers.extend(_worded(text, plain, sorted(taken)))
    numbers.sort(key=lambda number: number.start)
    return with_ranges(plain, numbers)


def _read(text: str, plain: str, run: Run, floor: int) -> tuple[Number | None, int]:
    """The number that a run is (None if it is a label), and where it ends."""
    if not run.digits.readings or _is_within_a_word(plain, run.start):
        return None, _end_of_word(plain, run.end)
    start, readings = _with_leading_mark(plain, run, floor)
    before = read_before(plain, start, floor)
    after = read_after(plain, run.end, before.currency)
    if after.is_label:
        return None, _end_of_word(plain, run.end)
    values = [_value(reading, after) for reading in readings]
    if after.may_be_unscaled:
        values.append(readings[0].value)
    if not all(map(math.isfinite, values)):
        return None, after.end
    start, end, sign = _signed(plain, before, after.end)
    if sign < 0:
        values = [-value if value else 0.0 for value in values]
    if end > after.end and plain[run.start : run.end].isdecimal() and before.currency is None:
        values.append(-values[0])  # "(5)" may be no account at all
    number = Number(
        value=values[0],
        text=text[start:end],
        start=start,
        end=end,
        kind=_kind(plain, run, before, after),
        alternatives=tuple(dict.fromkeys(values[1:])),
        unit=after.unit,
        relation=before.relation,
        precision=None if run.is_exact else _precision(readings[0], before, after),
        counted=after.counted,
    )
    return number, end


def _is_within_a_word(plain: str, start: int) -> bool:
    """Whether letters before make the digits a part of a name: "x1", "GPT-4", "docs/5"."""
    before = plain[start - 1 : start]
    if before in ("-", "/", "_"):
        before = plain[max(0, start - 2) : start - 1]
    if not before.isalpha() or not is_letter_or_digit(before):
        return False
    left = plain[max(0, start - 16) : start]
    return not _COMMAND.search(left) and read_before(plain, start, 0).currency is None


def _end_of_word(plain: str, end: int) -> int:
    match = _REST_OF_WORD.match(plain, end)
    return match.end() if match else end


def _with_leading_mark(plain: str, run: Run, floor: int) -> tuple[int, tuple[Reading, ...]]:
    """Reads ".5" and ",89" as decimals, unless the mark belongs to what stands before."""
    at = run.start - 1
    digits = plain[run.start : run.end]
    if at < floor or plain[at] not in ".," or not digits.isdecimal():
        return run.start, run.digits.readings
    before = plain[at - 1] if at else " "
    last = plain[max(0, at - 2) : at].strip()
    if before.isalnum() or before in ".,)]}%" or (plain[at] == "," and last[-1:].isdigit()):
        return run.start, run.digits.readings
    return at, (Reading(f"0.{digits}", len(digits)),)


def _value(reading: Reading, after: After) -> float:
    if after.power is not None:
        try:
            return float(reading.value**after.power)
        except (OverflowError, ZeroDivisionError):
            return math.inf
    # Through the decimal text, so that 2.3 million is 2300000 and not 2299999.9999999995.
    digits = repr(reading.value + after.part) if after.part else reading.digits
    if "e" in digits:
        return reading.value * 10.0 ** min(after.exponent, 300)
    return float(f"{digits}e{after.exponent}") * after.factor


def _signed(plain: str, before: Before, end: int) -> tuple[int, int, int]:
    """Where the number begins and ends with its sign or accounting brackets, and its sign."""
    start = before.start
    if plain[start - 1 : start] == "(" and plain[end : end + 1] == ")":
        left = plain[max(0, start - 6) : start - 1]
        is_cell = _CELL_BEFORE.search(left) if start <= 6 else _CELL_START.search(left)
        if left.endswith(("$", "€", "£")) or (is_cell and _CELL_END.match(plain, end)):
            return start - 1, end + 1, -1
    return start, end, -1 if before.is_negative else 1


def _precision(reading: Reading, before: Before, after: After) -> float | None:
    """The value of the last digit, where it was rounded to or seems to be."""
    if not reading.decimals and not after.is_scaled and before.relation != "≈":
        return None
    return 10.0 ** max(-300, min(300, after.exponent - reading.decimals)) * after.factor


def _kind(plain: str, run: Run, before: Before, after: After) -> Kind:
    if before.is_margin:
        return "margin"
    if after.is_ordinal:
        return "ordinal"
    digits = plain[run.start : run.end]
    is_bare = after.end == run.end and not after.unit and not after.counted
    could_be = is_bare and before.start == run.start and len(digits) == 4 and digits.isdecimal()
    if could_be and 1900 <= int(digits) <= 2100:
        left = plain[max(0, run.start - 12) : run.start]
        is_alone = left.endswith("(") and plain.startswith(")", run.end) and len(left) > 1
        return "year" if is_alone or _YEAR_BEFORE.search(left) else "number"
    return "number"


def _worded(text: str, plain: str, taken: list[tuple[int, int]]) -> Iterator[Number]:
    """The numbers in words that overlap nothing that was read from digits."""
    at = 0
    for worded in read_words(plain):
        while at < len(taken) and taken[at][1] <= worded.start:
            at += 1
        if at < len(taken) and taken[at][0] < worded.end:
            continue
        after = read_after(plain, worded.end)
        if at < len(taken) and taken[at][0] < after.end:
            # "one $5" is not a dollar and 5: what stands between belongs to the digits.
            after = After(worded.end)
        is_loose = worded.is_loose and not _is_stated(plain, worded.start, worded.end)
        yield Number(
            value=worded.value,
            text=text[worded.start : after.end],
            start=worded.start,
            end=after.end,
            kind="ordinal" if is_loose else "number",
            unit=after.unit,
            relation=read_before(plain, worded.start, 0).relation,
            counted=after.counted,
        )


def _is_stated(plain: str, start: int, end: int) -> bool:
    """Whether a lone "one" is a number all the same: the whole answer, or what something is."""
    return bool(_STATED.search(plain[max(0, start - 12) : start])) and not plain.startswith(
        " of", end
    )
