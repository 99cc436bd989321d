"""Whether a number that was read is the number that was expected, and why, in words."""

from typing import NamedTuple

from studio.engine.metrics.numbers.number import Number
from studio.engine.metrics.numbers.units import Unit, convert, find
from studio.engine.records import Record

_LEAST_SHOWN = 10
"""A rounded number of fewer than two digits ("0.0", "4" for 3.6) is too coarse to count."""
_SLACK = 1e-9
_BOUNDS = ("<", ">", "≤", "≥")


class Tolerance(Record, frozen=True):
    """How far a number may be off: by `absolute`, or by `relative` times the expected value.

    `rounding` accepts as well what is the expected value rounded to the digits that the text
    shows, if these are two or more and the text shows that it rounds: by a decimal mark ("3.14"),
    a scale ("1.3 million") or a word ("about 70").
    """

    absolute: float = 0.0
    relative: float = 1e-9
    rounding: bool = True


class Match(NamedTuple):
    """`distance` is how far the nearest reading is off; None if it cannot be compared."""

    is_match: bool
    reason: str
    distance: float | None = None


def matches(
    number: Number,
    expected: float,
    tolerance: Tolerance | None = None,
    unit: str | None = None,
) -> Match:
    """Whether `number` is `expected`, counted in `unit` (None: in whatever unit the text names).

    A number without a unit may stand for any; one whose unit is known is converted or, if it
    measures something else, refused; so is one that counts other things ("4000 bananas" for
    "4000 ml").  A percentage also stands for the share that it is: "50 %" for 0.5.
    """
    tolerance = tolerance or Tolerance()
    target = find(unit) if unit else None
    obstacle = _obstacle(number, unit, target)
    if obstacle:
        return Match(is_match=False, reason=f"{_quoted(number)} {obstacle}")
    closest: Match | None = None
    for reading in _readings(number, target, has_unit=bool(unit)):
        found = _compare(reading, expected, tolerance)
        told = found._replace(reason=f"{_quoted(number)}{reading.how} {found.reason}")
        if told.is_match:
            return told
        if closest is None or (told.distance or 0.0) < (closest.distance or 0.0):
            closest = told
    return closest or Match(is_match=False, reason=f"{_quoted(number)} cannot be compared")


class _Reading(NamedTuple):
    value: float
    how: str = ""
    precision: float | None = None


def _obstacle(number: Number, unit: str | None, target: Unit | None) -> str:
    """Why the number measures something else than what was expected; "" if it may be that."""
    if not unit:
        return ""
    if number.unit is None:
        is_other = target is not None and number.counted
        return f"counts {number.counted}, not {unit}" if is_other else ""
    if target is None or convert(1.0, number.unit, target) is None:
        return f"is in {number.unit.text}, not in {unit}"
    return ""


def _readings(number: Number, target: Unit | None, *, has_unit: bool) -> list[_Reading]:
    found = [_Reading(number.value, "", number.precision)]
    found += [_Reading(value, f", read as {_shown(value)},") for value in number.alternatives]
    if number.unit is None:
        return found
    if target is not None:
        return [_converted(reading, number.unit, target) for reading in found]
    if number.unit.dimension == "ratio" and not has_unit:
        factor = number.unit.factor
        precision = number.precision and number.precision * factor
        found.append(_Reading(number.value * factor, ", as a share,", precision))
    return found


def _converted(reading: _Reading, unit: Unit, target: Unit) -> _Reading:
    value = convert(reading.value, unit, target)
    if value is None or unit == target:
        return reading
    precision = None
    if reading.precision is not None:
        next_one = convert(reading.value + reading.precision, unit, target)
        precision = abs(next_one - value) if next_one is not None else None
    how = "" if value == reading.value else f" ({_shown(value)} {target.text})"
    return _Reading(value, reading.how + how, precision)


def _compare(reading: _Reading, expected: float, tolerance: Tolerance) -> Match:
    distance = abs(reading.value - expected)
    if distance == 0:
        return Match(is_match=True, reason=f"is {_shown(expected)}", distance=0.0)
    if distance <= max(tolerance.absolute, tolerance.relative * abs(expected)):
        reason = f"is within the tolerance of {_shown(expected)}"
        return Match(is_match=True, reason=reason, distance=distance)
    if tolerance.rounding and _is_rounded(reading, distance):
        return Match(is_match=True, reason=f"is {_shown(expected)} rounded", distance=distance)
    reason = f"is not {_shown(expected)} (off by {_shown(distance)})"
    return Match(is_match=False, reason=reason, distance=distance)


def _is_rounded(reading: _Reading, distance: float) -> bool:
    if not reading.precision:
        return False
    shown = abs(reading.value) / reading.precision * (1 + _SLACK)
    return shown >= _LEAST_SHOWN and distance <= reading.precision / 2 * (1 + _SLACK)


def _quoted(number: Number) -> str:
    bound = f" (stated as {number.relation})" if number.relation in _BOUNDS else ""
    text = number.text if len(number.text) <= 40 else f"{number.text[:39]}…"
    return f"“{text}” at {number.start}{bound}"


def _shown(value: float) -> str:
    return f"{value:.12g}"
