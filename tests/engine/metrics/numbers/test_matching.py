"""When a number that was read is the expected one."""

import pytest

from studio.engine.metrics.numbers import Tolerance, matches, read_numbers

EXACT = Tolerance(rounding=False)


def match(text, expected, unit=None, tolerance=None):
    return matches(read_numbers(text)[0], expected, tolerance, unit)


@pytest.mark.parametrize(
    ("text", "expected", "unit"),
    [
        ("4 l", 4000, "ml"),
        ("4000", 4000, "ml"),
        ("4000 ml", 4, "l"),
        ("21 degrees", 21, "°C"),
        ("21 °C", 69.8, "°F"),
        ("21", 21, "celsius"),
        ("100 km/h", 27.77777777777778, "m/s"),
        ("50 cents", 0.5, "USD"),
        ("$5", 5, "USD"),
        ("$5", 5, "CAD"),
        ("70.52 EUR per gram", 70.52, "EUR"),
        ("70.52 EUR", 70.52, "EUR/g"),
        ("70.52 EUR/g", 70520, "EUR per kg"),
        ("1 GB", 1000, "MB"),
        ("1 GiB", 1073741824, "bytes"),
        ("8 bits", 1, "B"),
        ("90 min", 1.5, "hours"),
        ("5 pounds", 5, "GBP"),
        ("2 pounds", 907.18474, "g"),
        ("1 oz", 1, "troy ounces"),
        ("72 clips", 72, "clips"),
        ("72", 72, "clips"),
        ("50%", 0.5, None),
        ("50%", 50, None),
        ("50%", 50, "%"),
        ("55 mph", 55, None),
        ("1,000", 1000, None),
        ("1,000", 1, None),
        ("1.000", 1000, None),
        ("-0", 0, None),
        ("0.30000000000000004", 0.3, None),
        ("5 bananas", 5, None),
    ],
)
def test_it_is_the_expected_number(text, expected, unit):
    found = match(text, expected, unit)
    assert found.is_match, found.reason


@pytest.mark.parametrize(
    ("text", "expected", "unit", "words"),
    [
        ("4000 bananas", 4000, "ml", "counts bananas, not ml"),
        ("55 mph", 55, "%", "is in mi/h, not in %"),
        ("5 km", 5, "km/h", "is in km"),
        ("5 EUR", 5, "USD", "is in EUR, not in USD"),
        ("5 kg", 5, "clips", "is in kg, not in clips"),
        ("5 kr", 5, "USD", "is in kr"),
        ("5 kg", 5, "g", "(5000 g) is not 5"),
        ("72", 73, None, "is not 73 (off by 1)"),
    ],
)
def test_it_is_not_the_expected_number_and_the_reason_says_why(text, expected, unit, words):
    found = match(text, expected, unit)
    assert not found.is_match
    assert words in found.reason


@pytest.mark.parametrize(
    ("text", "expected", "is_match"),
    [
        ("3.14", 3.14159, True),
        ("about 1.3 million", 1312000, True),
        ("1.3 million", 1312000, True),
        ("about 70", 70.4, True),
        ("70.5", 70.52424, True),
        ("70.6", 70.52424, False),
        # A plain whole number does not say that it is rounded.
        ("71", 70.52424, False),
        # Less than two digits say too little.
        ("0.0", 0.0026, False),
        ("0.00", 0.0026, False),
        ("0.003", 0.0026, False),
        ("0.73", 0.73661, False),
    ],
)
def test_a_rounded_number_counts_if_its_digits_show_it(text, expected, is_match):
    assert match(text, expected).is_match is is_match
    assert match(text, expected, tolerance=EXACT).is_match is False


def test_rounding_is_seen_after_conversion():
    assert match("70.5 g", 0.07052, "kg").is_match
    assert not match("70.5 g", 0.0706, "kg").is_match


def test_tolerances_are_absolute_or_relative():
    assert match("72", 73, tolerance=Tolerance(absolute=1.0)).is_match
    assert match("72", 73, tolerance=Tolerance(relative=0.02)).is_match
    assert not match("72", 73, tolerance=Tolerance(absolute=0.9, relative=0.01)).is_match


def test_the_reason_says_which_digits_were_used_and_how_they_were_read():
    assert match("It is 1,000 g", 1).reason == "“1,000 g” at 6, read as 1, is 1"
    assert match("It is >5", 5).reason == "“5” at 7 (stated as >) is 5"
