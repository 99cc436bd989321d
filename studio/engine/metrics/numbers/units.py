"""Units of measure: how they are written, and which amounts can be compared.

Amounts of different dimensions, or of different currencies, are never converted.
"""

import re
from typing import Optional

from studio.engine.metrics.numbers.unit_table import CENTS_OF, MEANINGS, QUOTIENTS, TABLE
from studio.engine.records import Record


class Unit(Record, frozen=True):
    """`value * factor + offset` is the amount in the base unit of `dimension`.

    `below` is the unit that it is counted per, as the gram of "EUR/g".
    """

    symbol: str
    dimension: str
    factor: float = 1.0
    offset: float = 0.0
    below: Optional["Unit"] = None

    @property
    def text(self) -> str:
        return f"{self.symbol}/{self.below.symbol}" if self.below else self.symbol

    @property
    def is_money(self) -> bool:
        return any(one.dimension.startswith("currency:") for one in _meanings(self))

    def per(self, below: "Unit") -> "Unit":
        return Unit(self.symbol, self.dimension, self.factor, 0.0, below)


def find(text: str) -> Unit | None:
    """The unit written as `text` ("kg", "US dollars", "km/h", "EUR per gram"); None if unknown."""
    unit = _simple(text.strip())
    if unit is not None:
        return unit
    above, slash, below = _PER.sub("/", text, count=1).partition("/")
    upper, lower = _simple(above.strip()), _simple(below.strip())
    return upper.per(lower) if slash and upper and lower else None


def spellings(unit: Unit) -> frozenset[str]:
    """All symbols and names of what the unit may mean: of the dollar also the US dollar's."""
    meant = {one.dimension: one.factor for one in (unit, *_meanings(unit))}
    return frozenset(
        text
        for text, other in (*_BY_SYMBOL.items(), *_BY_NAME.items())
        if other.below == unit.below
        and any(meant.get(one.dimension) == one.factor for one in (other, *_meanings(other)))
    )


def convert(value: float, unit: Unit, target: Unit) -> float | None:
    """`value` in `target`, or None where the one cannot stand for the other.

    Of two prices one may leave out what it is per.
    """
    converted = _across(value, unit, target)
    if converted is None or (unit.below is None and target.below is None):
        return converted
    if unit.below is None or target.below is None:
        return converted if unit.is_money else None
    share = _across(1.0, unit.below, target.below)
    return converted / share if share else None


def _across(value: float, unit: Unit, target: Unit) -> float | None:
    pairs = [
        (one, other)
        for one in _meanings(unit)
        for other in _meanings(target)
        if one.dimension == other.dimension
    ]
    if not pairs:
        return None
    one, other = next((pair for pair in pairs if pair[0].symbol == pair[1].symbol), pairs[0])
    if one.factor == other.factor and one.offset == other.offset:
        return value
    return (value * one.factor + one.offset - other.offset) / other.factor


def _meanings(unit: Unit) -> tuple[Unit, ...]:
    return _MEANINGS.get(unit.symbol) or (unit,)


def _simple(text: str) -> Unit | None:
    text = _DEGREES.sub("", text)
    name = text.casefold()
    return (
        _BY_SYMBOL.get(text)
        or _BY_NAME.get(name)
        or _BY_NAME.get(name.removesuffix("s"))
        or _BY_CODE.get(name)
    )


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


_DEGREES = re.compile(r"^deg(?:ree)?s? (?=[cf])", re.IGNORECASE)
_PER = re.compile(r"\s+per\s+", re.IGNORECASE)
_BY_SYMBOL: dict[str, Unit] = {}
_BY_NAME: dict[str, Unit] = {}


def _fill() -> None:
    for row in TABLE.strip().splitlines():
        dimension, symbol, scale, symbols, names = row.split("|")
        factor, _, offset = scale.partition("+")
        unit = Unit(symbol, dimension, float(factor), float(offset or 0))
        _BY_SYMBOL.update(dict.fromkeys([symbol, *_listed(symbols)], unit))
        _BY_NAME.update(dict.fromkeys(_listed(names), unit))
    for row in QUOTIENTS.strip().splitlines():
        quotient, symbols, names = row.split("|")
        above, _, below = quotient.partition("/")
        unit = _BY_SYMBOL[above].per(_BY_SYMBOL[below])
        _BY_SYMBOL.update(dict.fromkeys(_listed(symbols), unit))
        _BY_NAME.update(dict.fromkeys(_listed(names), unit))


_fill()
_BY_CODE = {
    unit.symbol.casefold(): unit
    for unit in _BY_SYMBOL.values()
    if unit.dimension == f"currency:{unit.symbol}" and unit.symbol != "TRY"
}
"""Currency codes in small letters, as models write them; "try" is a word."""
_MEANINGS = {symbol: tuple(_BY_SYMBOL[one] for one in ones) for symbol, ones in MEANINGS.items()}
_MEANINGS["¢"] = tuple(Unit("¢", f"currency:{code}", 0.01) for code in CENTS_OF)

CURRENCY_MARKS = tuple(
    mark for mark, unit in _BY_SYMBOL.items() if unit.is_money and mark not in ("p", "¢", "pound")
)
"""How currencies are written before a number."""
