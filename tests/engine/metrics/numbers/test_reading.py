"""Numbers are read as people and models write them; each row is a text and what it says."""

import pytest

from studio.engine.metrics.numbers import read_numbers, scan

FAMILIES = {
    "punctuation beside it": [
        ("72 clips, altogether.", [72]),
        ("The total is 72, in all, so that is it.", [72]),
        ("1", [1]),
        ("It is (72).", [72]),
        ("72!", [72]),
        (".5, 5., +7", [0.5, 5, 7]),
        ("It was 5.It was 6", [5, 6]),
        ("5...6", [5, 6]),
    ],
    "groups": [
        ("8,000", [8000]),
        ("4,183", [4183]),
        ("The price is $9{,}500$.", [9500]),
        (r"9\,500", [9500]),
        ("1,234,567", [1234567]),
        ("1.234.567", [1234567]),
        ("1'234'567", [1234567]),
        ("1’234.50", [1234.5]),
        ("1 234 567", [1234567]),
        ("1\u202f234\u00a0567", [1234567]),
        ("1\u2009234,56", [1234.56]),
        ("1_000_000", [1000000]),
        ("₹1,23,456", [123456]),
        ("12,34,567.5", [1234567.5]),
        ("12 34 56", [12, 34, 56]),
        ("5 100 200 3000", [5, 100, 200, 3000]),
    ],
    "decimal marks": [
        ("1,234,567.890", [1234567.89]),
        ("1.234,56", [1234.56]),
        ("495.000,00 €", [495000]),
        ("only ,89 €", [0.89]),
        ("20,00", [20]),
        ("0,75", [0.75]),
        ("0,123", [0.123]),
        ("100,0", [100]),
        ("3,14159", [3.14159]),
        ("1234,567", [1234.567]),
        ("1 234,56", [1234.56]),
        ("٣٫١٤", [3.14]),
        ("３．５", [3.5]),
    ],
    "lists": [
        ("1,2,3", [1, 2, 3]),
        ("5, 6", [5, 6]),
        ("[1, 2, 3]", [1, 2, 3]),
        ("1.23,45.6", [1.23, 45.6]),
        ("5%,6%", [5, 6]),
    ],
    "one guess for all numbers of a text": [
        ("727,242\n1,683,913\n865,206", [727242, 1683913, 865206]),
        ("727.242\n1.683.913\n865.206", [727242, 1683913, 865206]),
        ("3,14 und 1.000", [3.14, 1000]),
        ("3.14 and 1.000", [3.14, 1]),
        ("3.14 and 1,000", [3.14, 1000]),
    ],
    "fractions": [
        ("1/2 cup; 2 3/4 miles", [0.5, 2.75]),
        ("½ or 2½ or 1 ¾", [0.5, 2.5, 1.75]),
        ("1⁄2", [0.5]),
        (r"\frac{1}{2}, 2\frac{3}{4}, \dfrac{7}{2}", [0.5, 2.75, 3.5]),
        ("7/10", [0.7]),
        ("5 11/2", [5, 5.5]),
        ("1/0", [1, 0]),
        ("1/2/3", [1, 2, 3]),
    ],
    "powers of ten": [
        ("6.02e23, 6.02×10^23, 6.02 x 10²³, 1E-3", [6.02e23, 6.02e23, 6.02e23, 0.001]),
        (r"6.02 \times 10^{23}", [6.02e23]),
        ("2.5 · 10⁻³", [0.0025]),
        ("3*10**8", [3e8]),
        ("10^6, 10⁶, 10^{-3}", [1e6, 1e6, 0.001]),
        ("2^10", [1024]),
        ("1e999 and 10^9999", []),
    ],
    "signs": [
        ("-5", [-5]),
        ("−5", [-5]),
        ("the value is –5", [-5]),
        ("-0", [0]),
        ("-$5, $-5, -.5", [-5, -5, -0.5]),
        ("x = - 5", [-5]),
        ("- 5 apples", [5]),
        ("it is minus 5", [-5]),
        ("10 minus 5", [10, 5]),
        ("10 - 3", [10, 3]),
    ],
    "accounts": [
        ("(1,234)", [-1234]),
        ("| (500.00) | 12 |", [-500, 12]),
        ("$(1,234)", [-1234]),
        ("the cost (1,234) was high", [1234]),
        ("the cost ($1,234) was high", [1234]),
    ],
    "currencies": [
        ("USD 1,200; 1 200 kr; €1.2 bn", [1200, 1200, 1.2e9]),
        ("CHF 1'200.50", [1200.5]),
        ("Rs.500, Rs 500, kr 500, 500 kroner", [500, 500, 500, 500]),
        ("US$70, A$70, R$70", [70, 70, 70]),
        (r"\$70 or 70\,\$", [70, 70]),
        ("USD5 5EUR", [5, 5]),
    ],
    "units": [
        ("4 l", [4]),
        ("55 mph", [55]),
        ("21 °C, 70°F, 21 degrees", [21, 70, 21]),
        ("50%, 50 percent, 50 per cent, 70\\%", [50, 50, 50, 70]),
        ("5 m², 3 m3, 5-year, 24-hour", [5, 3, 5, 24]),
        (r"$5 \text{ kg}$, $5\,\mathrm{kg}$, $5$ kg", [5, 5, 5]),
        ("5h 30min", [5, 30]),
    ],
    "scales": [
        ("1k, 2.5M, 3bn", [1000, 2.5e6, 3e9]),
        ("$5m and €3b", [5e6, 3e9]),
        ("about 1.3 million", [1300000]),
        ("2.3 million", [2300000]),
        ("5 Mio. €, 5 Mrd, 1,5 Millionen", [5e6, 5e9, 1.5e6]),
        ("3 lakh, 2 crore, 5 dozen, 5 hundred", [300000, 2e7, 60, 500]),
        ("1km; 5 m; 10 MB; x1", [1, 5, 10]),
        ("5m, 5M, 5 m", [5, 5e6, 5]),
    ],
    "words": [
        ("twenty-one; a dozen; three hundred", [21, 12, 300]),
        ("two thousand and five", [2005]),
        ("ninety-nine thousand nine hundred and ninety-nine", [99999]),
        ("half a million", [500000]),
        ("two and a half million euros", [2500000]),
        ("three point one four", [3.14]),
        ("minus five", [-5]),
        ("three quarters, two thirds", [0.75, 2 / 3]),
        ("two and three", [2, 3]),
        ("one", [1]),
        ("The answer is one.", [1]),
        ("this one costs 7", [7]),
        ("hundreds of people phoned someone often", []),
    ],
    "relations": [
        ("≈ 3.14, ~100, >5", [3.14, 100, 5]),
        ("about 70", [70]),
    ],
    "ranges and margins": [
        ("3-5 items, 10–12%", []),
        ("$5-$10", []),
        ("between 3 and 5 kg", []),
        ("from 5 to 10", [5, 10]),
        ("± 0.5", []),
        ("12.5 ± 0.3 g", [12.5]),
        ("12.5 +/- 0.3", [12.5]),
    ],
    "dates and times": [
        ("On March 5, 2024 it rose to 8.", [8]),
        ("5 March 2024, the 5th of March, Mar 5: 17", [17]),
        ("2024-03-05T10:30:00Z: 17", [17]),
        ("05/03/2024 and 5.3.2024: 17", [17]),
        ("At 12:30 and at 5 pm we had 17.", [17]),
        ("In 2023 the score was 17.", [17]),
        ("Revenue (2024): 5", [5]),
        ("in the 1990s 3", [3]),
        ("in 2000 cases", [2000]),
        ("2023", [2023]),
    ],
    "names, addresses, labels": [
        ("v3.11.7, 192.168.0.1, +47 22 00 00 00", []),
        ("10.0.0.1:8080, https://example.org/5/7?x=8, me5@mail7.org", []),
        ("call (555) 123-4567 or 555-123-4567 or tel. 22 00 00 00", []),
        ("x1, GPT-4, COVID-19, H2O, 3D, 4x4, a_7, abc123def, 0x1F", []),
        ("1.234.567.890", [1234567890]),
        ("1. Gold 88\n2. Silver 7", [88, 7]),
        ("Step 2: 7", [7]),
        ("gold[1] costs 88", [88]),
        ("ranked 21st", []),
        ("24/7 at a ratio of 3:1", []),
        ("3f2504e0-4f89-41d3-9a0c-0305e82c3301 978-3-16-148410-0", []),
    ],
    "markup": [
        ("**72** `72` _72_ \"72\" <b>72</b>", [72, 72, 72, 72, 72]),
        ('{"price": 70.5}', [70.5]),
        (r"\(x = 5\)", [5]),
    ],
    "the end of a calculation": [
        ("$80,000 + $50,000 = $130,000", [130000]),
        ("m+n = 256+37 = 293", [293]),
        ("0.1+0.2 = 0.30000000000000004", [0.30000000000000004]),
        ("88.1553 * 0.8 ≈ 70.52", [70.52]),
        ("5 apples + 3 apples = 8 apples", [8]),
        ("20 % of 50 = 10", [10]),
        ("0.0021 USD * (1 GBP / 0.7 USD) ≈ 0.003 GBP per gram", [0.003]),
        ("2 + 3 = 5 and 4 + 4 = 8", [5, 8]),
        ("x = 5, y = 7", [5, 7]),
        ("5 = 2 + 3", [5, 2, 3]),
        ("gold costs 70.52 EUR (rate=0.8).", [70.52, 0.8]),
        ("5 <= 7", [5, 7]),
    ],
    "a marked answer": [
        ("Answer: 256 + 37 = 293", [293]),
        ("Answer: 5. No wait. Answer: 7", [7]),
        ("There are 3. **Answer:** 42", [42]),
        ("There are 3.\nFinal answer:\n\n42", [42]),
        ("We have 3, so the answer is 42.", [42]),
        ("3 then \\boxed{42}", [42]),
        ("3 + 4\n#### 7", [7]),
    ],
}  # fmt: skip
ROWS = [(text, read) for rows in FAMILIES.values() for text, read in rows]


@pytest.mark.parametrize(("text", "read"), ROWS)
def test_it_reads_what_the_text_says(text, read):
    assert [number.value for number in read_numbers(text)] == read


@pytest.mark.parametrize(
    ("text", "value", "alternatives"),
    [
        ("1,000", 1000, (1,)),
        ("1.000", 1, (1000,)),
        ("12,345", 12345, (12.345,)),
        ("300K", 300000, (300,)),
        ("100 200 300", 100200300, (100, 200, 300)),
        ("(5)", -5, (5,)),
        ("0,123", 0.123, ()),
        ("1,000.5", 1000.5, ()),
    ],
)
def test_what_can_be_read_two_ways_keeps_both(text, value, alternatives):
    (number,) = read_numbers(text)
    assert (number.value, number.alternatives) == (value, alternatives)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("$130,000", "$"), ("€5", "EUR"), ("5 US dollars", "USD"), ("₹5", "INR"), ("5 kr", "kr"),
        ("5 mph", "mi/h"), ("5 km/h", "km/h"), ("88.16 USD per troy ounce", "USD/ozt"),
        ("€70.52/g", "EUR/g"), ("0.73 (GBP)", "GBP"), ("5 MB", "MB"), ("5 Mb", "Mbit"),
        ("21 degrees Celsius", "°C"), ("5 deg F", "°F"), ("5 %", "%"), ("5 in.", "in"),
        ("17 in all", None), ("5 bananas", None), ("$9{,}500$", None), ("5 x 3", None),
    ],
)  # fmt: skip
def test_it_reads_the_unit(text, unit):
    number = read_numbers(text)[0]
    assert (number.unit.text if number.unit else None) == unit


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("~ 5", "≈"), ("roughly 5", "≈"), (">5", ">"), ("at least 5", "≥"), ("up to 5", "≤"),
        ("less than 5", "<"), ("<b>5</b>", "="), ("-> 5", "="), ("exactly 5", "="),
    ],
)  # fmt: skip
def test_it_reads_the_relation(text, relation):
    assert read_numbers(text)[0].relation == relation


@pytest.mark.parametrize(
    ("text", "precision"),
    [("3.14", 0.01), ("1.3 million", 1e5), ("6.02e23", 1e21), ("70", None), ("about 70", 1.0),
     ("1/2", None), ("100.0", 0.1), ("twenty", None)],
)  # fmt: skip
def test_it_tells_to_which_place_the_digits_were_rounded(text, precision):
    assert read_numbers(text)[0].precision == (precision and pytest.approx(precision))


def test_what_is_no_plain_number_is_tagged():
    kinds = {number.text: number.kind for number in scan("2nd, 3-5, ± 0.5, in 2023, this one, 7")}
    assert kinds == {
        "2nd": "ordinal", "3-5": "range", "0.5": "margin", "2023": "year", "one": "ordinal",
        "7": "number",
    }  # fmt: skip


def test_a_range_has_both_ends():
    (found,) = scan("10–12 %")
    assert (found.value, found.upper, found.text) == (10, 12, "10–12 %")


def test_places_are_those_of_the_text_as_it_was_written():
    text = "Preis: −1 234,56 € pro Stück"
    (number,) = read_numbers(text)
    assert text[number.start : number.end] == number.text == "−1 234,56 €"


@pytest.mark.parametrize("text", ["ONE$0", "one $0", "one USD 0", "one €0"])
def test_a_currency_between_a_word_and_digits_belongs_to_the_digits(text):
    word, digits = scan(text)
    assert (word.value, word.unit) == (1.0, None)
    assert (digits.value, digits.text[-1]) == (0.0, "0")
    assert digits.unit is not None
