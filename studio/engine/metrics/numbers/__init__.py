"""Numbers in text, as people and models write them, and whether one is the expected number.

::

    scan(text)          every quantity, each tagged with its kind
    read_numbers(text)  those that the text gives as its answer
    matches(...)        whether one number is the expected one, and why
    search(...)         whether a text gives the expected number, and why

Reading goes: others.py masks what is no quantity (dates, addresses, labels); runs.py finds runs of
digits and digits.py reads them, whatever the country; words.py reads words; before.py and after.py
read sign, currency, scale and unit; ranges.py joins ranges; conclusion.py picks the answer;
match.py and search.py
compare.  Everything takes time linear in the text and raises for none.
"""

from studio.engine.metrics.numbers.conclusion import conclusion
from studio.engine.metrics.numbers.match import Match, Tolerance, matches
from studio.engine.metrics.numbers.number import Number
from studio.engine.metrics.numbers.scan import scan
from studio.engine.metrics.numbers.search import Search, search

__all__ = [
    "Match",
    "Number",
    "Search",
    "Tolerance",
    "conclusion",
    "matches",
    "read_numbers",
    "scan",
    "search",
]


def read_numbers(text: str) -> tuple[Number, ...]:
    """The numbers that `text` gives as its answer, in order, likeliest reading as the value."""
    found = conclusion(text, scan(text))
    return tuple(number for number in found if number.kind == "number")
