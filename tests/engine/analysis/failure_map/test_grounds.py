"""What the question says in other words was not invented; what it does not say was."""

import datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from studio.engine.analysis.failure_map.grounds import Grounds
from studio.engine.analysis.failure_map.other_names import abbreviates, initials, other_names
from studio.engine.metrics.numbers.units import find, spellings
from studio.engine.records import Query
from studio.engine.trace import Trace


def is_invented(value: object, text: str) -> bool:
    return Grounds(Query("q", text), Trace([]), 0).lack(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # Abbreviations of words in a row, and what they stand for.
        ("Convert 3 United States dollars.", "USD"),
        ("The weather in New York City?", "NYC"),
        ("Is San Francisco airport open?", "SFO"),
        ("Which shares of Microsoft?", "MSFT"),
        ("A loan of the Bank of America.", "BOA"),
        ("Hotels in Los Angeles", "LA"),
        ("How is it in NYC today?", "New York City"),
        ("Between San Francisco and New York City", "SFO, NYC"),
        # Currencies and units.
        ("How many euros is that?", "EUR"),
        ("It costs 5 € there.", "EUR"),
        ("What is it in dollars?", "USD"),
        ("In GBP, please.", "British pounds"),
        ("How many kilometres are 3 miles?", "km"),
        ("How warm is it in degrees Celsius?", "°C"),
        ("In kg, please.", "kilograms"),
        # Countries and elements.
        ("Who leads Germany?", "DE"),
        ("Trains in the United States", "US"),
        ("News from GB, please.", "United Kingdom"),
        ("What is gold worth?", "Au"),
        ("What is gold worth?", "XAU"),
        ("The price of Ag?", "silver"),
        # Numbers, dates and times.
        ("Take two of them.", 2),
        ("Twenty-five, please.", 25),
        ("Give me 25.", "twenty-five"),
        ("Two hundred and six of them.", 206),
        ("A third of it", 1 / 3),
        ("Half of it", 0.5),
        ("Twice a day", 2),
        ("On the 1st of May 2024", "2024-05-01"),
        ("On May the first", {"month": 5, "day": 1}),
        ("In December", "12/24/2024"),
        ("At 3 pm", "15:00"),
        ("At half past seven", "19:30"),
        ("At noon", "12:00:00"),
        ("At midnight", "00:00"),
        # Case, accents, plurals.
        ("Flights to Zürich", "zurich"),
        ("Flights to Zurich", "ZÜRICH"),
        ("Which city?", "cities"),
        ("One box", "boxes"),
        ("A dog", "dogs"),
    ],
)  # fmt: skip
def test_what_was_said_in_other_words_is_not_invented(text: str, value: object):
    assert not is_invented(value, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Convert 3 euros.", "GBP"),
        ("Convert 3 euros into Swiss francs.", "JPY"),
        ("How many kilometres are 3 miles?", "kg"),
        ("Who leads Germany?", "FR"),
        # "in" is a word of most questions, and the code of a country and of an element.
        ("Who is in it, or at it, or no one?", "India"),
        ("Is it at home in there?", "Italy"),
        ("Put it in there.", "indium"),
        ("What is gold worth?", "Ag"),
        ("What is gold worth?", "XAG"),
        ("Hotels in Los Angeles", "NYC"),
        ("Mail it to the office.", "ACME-77"),
        ("Take two of them.", 37),
        ("Twenty-five, please.", "forty-one"),
        ("At 3 pm", "09:30"),
        ("In May", "2025-07-19"),
        ("On Monday", "2024-09-23"),
        ("Flights to Zürich", "Geneva"),
        ("Which city?", "villages"),
    ],
)
def test_what_was_not_said_in_any_words_is_invented(text: str, value: object):
    assert is_invented(value, text)


CURRENCIES = ("USD", "EUR", "GBP", "JPY", "CNY", "INR", "CHF", "SEK", "PLN", "BRL", "ZAR", "KRW")


@given(st.sampled_from(CURRENCIES), st.sampled_from(CURRENCIES), st.data())
def test_a_currency_is_known_by_each_of_its_names_and_by_none_of_anothers(
    one: str, other: str, data: st.DataObject
):
    unit, another = find(one), find(other)
    assert unit is not None
    assert another is not None
    names = sorted(spellings(unit))
    name = data.draw(st.sampled_from(names))
    assert not is_invented(one, f"How much is that: {name} 5?")
    shared = any(each.casefold() in name.casefold() for each in spellings(another))
    assume(not shared and not abbreviates(other, f"How much is that: {name}"))
    assert is_invented(other, f"How much is that: {name} 5?")


WORDS = st.text("abcdefghijklmnoprstuvwyz", min_size=3, max_size=9)


@given(st.lists(WORDS, min_size=3, max_size=5), st.lists(WORDS, max_size=3))
def test_the_initials_of_words_in_a_row_stand_for_them(named: list[str], before: list[str]):
    text = " ".join([*before, *(word.capitalize() for word in named)])
    code = "".join(word[0] for word in named).upper()
    assert not is_invented(code, text)
    assert initials(" ".join(named)) == code.casefold()


@given(st.lists(WORDS, min_size=1, max_size=12), st.text("QXJZ", min_size=3, max_size=6))
def test_letters_that_no_word_has_are_no_abbreviation(words: list[str], code: str):
    assume(not set(code.casefold()) & set("".join(words)))
    assert is_invented(code, " ".join(words).capitalize())


@given(st.dates(datetime.date(1900, 1, 1)), st.sampled_from(["%d %B %Y", "%B %d, %Y", "%d/%m/%Y"]))
def test_a_date_is_the_same_in_every_order(date: datetime.date, form: str):
    assert not is_invented(date.isoformat(), f"What happened on {date.strftime(form)}?")
    assert not is_invented(date.strftime(form), f"What happened on {date.isoformat()}?")


@given(st.lists(st.integers(2, 99), max_size=4), st.integers(10**9, 10**12))
def test_a_number_that_follows_from_none_that_is_there_is_invented(there: list[int], value: int):
    assert is_invented(value, f"There are {', '.join(map(str, there))} of them.")
    assert not is_invented(value, f"There are {', '.join(map(str, [*there, value]))} of them.")


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_text_is_too_odd(text: str, value: str):
    assert is_invented(value, text) in (True, False)
    assert isinstance(other_names(value), frozenset)
