"""Names with numbers as rows: the weights of metrics, or what words are worth."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from studio.ui.models.metric_settings import read_number
from studio.ui.text import decimal

_WEIGHT = "weight"
_HUGE = 1e300


class Named(NamedTuple):
    """One name.  `number` is as it was typed; `others` the rest of a value of several, as JSON."""

    name: str = ""
    number: str = ""
    others: str = ""

    @property
    def is_blank(self) -> bool:
        return not any(map(str.strip, self))


def rows_in(text: str) -> tuple[Named, ...]:
    """The rows of a JSON object; none where the text is no such thing."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(_row(*item) for item in found.items()) if isinstance(found, dict) else ()


def _row(name: str, value: Any) -> Named:
    if not isinstance(value, dict):
        return Named(name, _shown(value))
    rest = {key: each for key, each in value.items() if key != _WEIGHT}
    return Named(name, _shown(value.get(_WEIGHT, "")), _json(rest) if rest else "")


def _shown(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) < _HUGE:
        return decimal(value)
    return value if isinstance(value, str) else _json(value)


def text_of(rows: Iterable[Named]) -> str:
    """The rows as a JSON object; what is no number stays a text, for the catalogue to refuse."""
    return _json({row.name.strip(): _value(row) for row in rows if not row.is_blank})


def _value(row: Named) -> Any:
    number = read_number(row.number.strip())
    if not row.others.strip():
        return number
    try:
        rest = json.loads(row.others)
    except (ValueError, RecursionError):
        return row.others
    return {_WEIGHT: number, **rest} if isinstance(rest, dict) else row.others


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def about(rows: Sequence[Named]) -> str:
    """What is to be seen of the rows together: their sum, or that one hides another."""
    [(name, times)] = Counter(row.name.strip() for row in rows).most_common(1) or [("", 0)]
    if name and times > 1:
        return f"{name} stands {times} times: the last counts"
    numbers = [read_number(row.number.strip()) for row in rows if not row.is_blank]
    if not numbers or not all(isinstance(number, int | float) for number in numbers):
        return ""
    return f"Sum {decimal(sum(numbers))}"
