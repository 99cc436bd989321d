"""What holds for the numbers of any text whatever."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.engine.metrics.numbers import Tolerance, matches, read_numbers, scan
from studio.engine.metrics.numbers.units import convert, find

PIECES = st.sampled_from(
    ["1", "12", "123", "1234", "0", ".", ",", "'", " ", "\u202f", "-", "–", "−", "+", "±", "/",
     "=", "≈", "<", ">", "(", ")", "$", "€", "kr ", "%", "°C", "kg", "k", "M", "million", "e", "E",
     "^", "×10", "²", "½", "\\frac{1}{2}", "{,}", "one", "two ", "hundred", "and", " a ", "half",
     "point", "Answer:", "\n", "|", "\t", "in ", "March ", "2024", ":", "@", "x", "_", "é", "元",
     "٣", "\ud800", "\x00", "ONE", "USD "]
)  # fmt: skip
TEXTS = st.text() | st.lists(PIECES, max_size=14).map("".join)
WHOLE = st.integers(-(10**12), 10**12)


@given(TEXTS)
@example("ONE$0")
@example("one USD 5 or half€3")
def test_reading_never_fails_and_stays_within_the_text(text):
    end = 0
    for number in scan(text):
        assert end <= number.start < number.end <= len(text)
        assert text[number.start : number.end] == number.text
        assert all(map(math.isfinite, (number.value, *number.alternatives)))
        assert number.precision is None or number.precision > 0
        end = number.end
    assert set(read_numbers(text)) <= set(scan(text))


@given(TEXTS, st.floats(allow_nan=False), st.none() | st.sampled_from(["kg", "%", "USD", "pigs"]))
def test_comparing_never_fails_and_always_has_a_reason(text, expected, unit):
    for number in scan(text):
        assert matches(number, expected, unit=unit).reason


@given(WHOLE)
def test_a_whole_number_is_read_back_however_it_is_grouped(value):
    for mark in ("", ",", "\u202f", "'", "_"):
        written = f"{value:,}".replace(",", mark)
        (number,) = read_numbers(f"It is {written} exactly.")
        assert number.value == value, written


@given(WHOLE.filter(lambda value: abs(value) >= 10**6))
def test_points_and_plain_spaces_group_as_well(value):
    looks_like_an_address = all(int(part) < 256 for part in f"{abs(value):,}".split(","))
    for mark in (" ",) if looks_like_an_address else (".", " "):
        (number,) = read_numbers(f"It is {value:,} exactly.".replace(",", mark))
        assert number.value == value


@given(st.decimals(-(10**9), 10**9, places=2))
def test_cents_are_read_back_in_any_notation(value):
    american = f"{value:,}"
    european = american.replace(",", " ").replace(".", ",").replace(" ", ".")
    for written in (american, european, american.replace(",", "\u202f"), f"{value}"):
        (number,) = read_numbers(f"It costs {written} today")
        assert number.value == float(value), written


@given(st.floats(-1e300, 1e300).filter(lambda value: value == 0 or abs(value) > 1e-300))
def test_a_float_as_python_writes_it_is_read_back(value):
    (number,) = read_numbers(f"x {value!r}")
    assert value in (number.value, *number.alternatives)


@given(WHOLE, st.sampled_from(["kg", "ml", "°C", "EUR", "km/h", "MB", "%"]))
def test_a_number_is_itself_in_its_own_unit(value, unit):
    (number,) = read_numbers(f"{value} {unit}")
    assert matches(number, value, Tolerance(0, 0, rounding=False), unit).is_match


@given(st.floats(-1e9, 1e9), st.sampled_from(
    [("kg", "lb"), ("l", "gallons"), ("°C", "°F"), ("km/h", "mph"), ("GB", "MiB"), ("h", "s")]
))  # fmt: skip
def test_a_conversion_and_back_gives_the_same_amount(value, units):
    one, other = map(find, units)
    there = convert(value, one, other)
    assert convert(there, other, one) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    "piece",
    ["1", "1,", "1.", "1 ", "123 ", "1/2 ", "1-", "1:", "+1 ", "(1", "$1", "1=", "1+", "=", "a",
     "a1", "one ", "and a ", "2½", "{,}1", "www.", "a@", "a-", "Answer: 1\n", "between 1 and ",
     "1e", "<b>", "[1]", "1. a\n", "minus ", "\n", " ", "1≈", "x", "\\frac{1}{2}"],
)  # fmt: skip
def test_a_long_text_is_read_to_its_end(piece):
    """A pattern that tries all ways to fail would never come to the end."""
    text = piece * (10_000 // len(piece)) + "\n#### 7"
    assert read_numbers(text)[-1].value == 7
