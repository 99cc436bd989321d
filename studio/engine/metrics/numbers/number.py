"""What is read from a text: a number, where it stands, and how it is meant."""

from typing import Literal

from studio.engine.metrics.numbers.units import Unit
from studio.engine.records import Record

Kind = Literal["number", "year", "ordinal", "range", "margin"]
"""Only a "number" is read as an answer.  A "year" and an "ordinal" ("2nd", a lone "one") are used
where nothing else can be meant; a "range" is two numbers, a "margin" what follows a plus-minus
sign."""

Relation = Literal["=", "≈", "<", "≤", ">", "≥"]


class Number(Record, frozen=True):
    """One number of a text, with the place where it stands.

    `alternatives` are other readings of the same digits: "1,000" is 1000 or 1.  `precision` is the
    value of the last digit where the digits show that they were rounded ("3.14": 0.01, "1.3
    million": 100,000), else None.  `upper` is the other end of a range.  `counted` is the plural
    noun that follows ("bananas").  `start` and `end` are places in the text.
    """

    value: float
    text: str
    start: int
    end: int
    kind: Kind = "number"
    alternatives: tuple[float, ...] = ()
    unit: Unit | None = None
    relation: Relation = "="
    precision: float | None = None
    upper: float | None = None
    counted: str = ""
