"""Finds the runs of digits that may be numbers, fractions and rows of groups among them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from studio.engine.metrics.numbers.digits import GROUP, Digits, Reading, read_digits
from studio.engine.metrics.numbers.others import Other

_SPACE = "\u202f"
_MARK = rf"(?:[.,'_{_SPACE}]|\{{,\}}|\\[,;:!])"
_RUN = re.compile(
    # Fractions: 1/2, 2 3/4, ½, 2½, \frac{1}{2}.
    r"(?<![\d/])(?:(?P<whole>\d{1,9})[ \u202f])?(?P<above>\d{1,9})/(?P<below>\d{1,9})"
    r"(?![\d/]|[.,]\d)"
    r"|(?P<tex_whole>\d{1,9})? ?\\[dt]?frac ?\{(?P<tex_above>\d{1,9})\} ?\{(?P<tex_below>\d{1,9})\}"
    r"|(?:(?P<one_whole>\d{1,9})[ \u202f]?)?(?P<one>[¼-¾⅐-⅞↉])"
    # Groups of three with a plain space between, if the whole row is made of them: 1 234 567.
    r"|(?<!\d )(?<![\d.,'])(?>(?P<spaced>\d{1,3}(?: \d{3})+(?:[.,]\d+)?))(?! ?\d)"
    rf"|(?P<run>\d+(?:{_MARK}\d+)*)"
)
_DIGITS = re.compile(r"\d+")
_GROUP_MARK = re.compile(rf"[_{_SPACE} ]|\{{,\}}|\\[,;:!]")


class Run(NamedTuple):
    """Digits of the text that may be a number, `readings` as in Digits."""

    start: int
    end: int
    digits: Digits
    is_exact: bool = False
    """A fraction: no digit of it is rounded."""


class _LikeAscii(dict[int, str]):
    """Digits of all scripts as ASCII, and one sign for each kind of minus, group and space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        digit = unicodedata.decimal(character, None)
        return character if digit is None else str(digit)


_LIKE_ASCII = _LikeAscii(
    {ord(sign): "-" for sign in "−﹣－‐‑"}
    | {ord(sign): "'" for sign in "’ʼ＇`´٬"}
    | {ord(sign): _SPACE for sign in "\u00a0\u2006\u2007\u2008\u2009\u200a\u202f"}
    | {ord(sign): "/" for sign in "⁄∕／"}
    | {ord(sign): ascii for sign, ascii in zip("．，٫％＄＋＝：", ".,.%$+=:", strict=True)}
)


def like_ascii(text: str) -> str:
    """`text` with the same places, written in as few signs as can be."""
    return text if text.isascii() else text.translate(_LIKE_ASCII)


def find_runs(plain: str, others: Sequence[Other]) -> Iterator[Run]:
    """The runs of a text (as from `like_ascii`) that lie outside `others`, in order."""
    masked = iter([*others, Other(len(plain), len(plain), "label")])
    mask = next(masked)
    for match in _RUN.finditer(plain):
        while mask.end <= match.start() and mask.start < len(plain):
            mask = next(masked)
        if match.end() <= mask.start:
            yield from _in_match(match)
        elif match.start() < mask.start:
            yield from _plain_runs(plain, match.start(), mask.start)


def _plain_runs(plain: str, start: int, end: int) -> Iterator[Run]:
    """The digits before a date or the like into which a match ran: the 5 of "5 2024-01-01"."""
    for match in _DIGITS.finditer(plain, start, end):
        yield from _in_run(match[0], match.start())


def _in_match(match: re.Match[str]) -> Iterator[Run]:
    if match["run"]:
        yield from _in_run(match["run"], match.start())
    elif match["spaced"]:
        yield from _spaced(match["spaced"], match.start())
    elif match["one"]:
        part = unicodedata.numeric(match["one"])
        yield _fraction(match.start(), match.end(), float(match["one_whole"] or 0) + part)
    else:
        prefix = "tex_" if match["tex_above"] else ""
        yield from _ratio(match, prefix)


def _spaced(written: str, start: int) -> Iterator[Run]:
    """Groups with spaces between.  "100 200 300" may as well be three numbers."""
    parts = written.split(" ")
    also = parts if len(parts[0]) == 3 and written.replace(" ", "").isdigit() else []
    for run in _in_run(written, start):
        readings = (*run.digits.readings, *(Reading(part) for part in also))
        yield run._replace(digits=run.digits._replace(readings=readings))


def _ratio(match: re.Match[str], prefix: str) -> Iterator[Run]:
    whole, above, below = (match[prefix + part] for part in ("whole", "above", "below"))
    is_mixed = whole is not None and int(above) < int(below)
    if whole is not None and not is_mixed:
        yield from _in_run(whole, match.start())
    start = match.start() if is_mixed or prefix else match.start("above")
    if int(below):
        value = float(whole or 0) * is_mixed + int(above) / int(below)
        yield _fraction(start, match.end(), value)
    else:
        yield from _in_run(above, match.start(prefix + "above"))
        yield from _in_run(below, match.start(prefix + "below"))


def _fraction(start: int, end: int, value: float) -> Run:
    return Run(start, end, Digits(0, end - start, (Reading(repr(value)),)), is_exact=True)


def _in_run(written: str, start: int) -> Iterator[Run]:
    """The numbers of a run of digits and marks, whose places are those of the text."""
    places = [*range(len(written)), len(written)]
    run = written
    if _GROUP_MARK.search(written):
        pieces = [(piece.start(), piece.end()) for piece in _GROUP_MARK.finditer(written)]
        run = _GROUP_MARK.sub(GROUP, written)
        skipped = {at for begin, end in pieces for at in range(begin + 1, end)}
        places = [at for at in range(len(written) + 1) if at not in skipped]
    for digits in read_digits(run):
        yield Run(start + places[digits.start], start + places[digits.end], digits)


def settled(run: Run, mark: str) -> Run:
    """The run with one reading only, if the other numbers of the text prove a decimal mark."""
    digits = run.digits
    if mark not in digits.marks:
        return run
    reading = digits.readings[digits.marks.index(mark)]
    return run._replace(digits=digits._replace(readings=(reading,), marks=()))
