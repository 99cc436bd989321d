"""IFBench, `custom`: answers that are CSV, or a list of dates."""

import csv
import datetime
import io
import re
from collections.abc import Mapping, Sequence

from studio.engine.metrics.instructions.asked import Asked, Rule

_CITY = ["ID", "Country", "City", "Year", "Count"]
_PRODUCT = ["ProductID", "Category", "Brand", "Price", "Stock"]
_STUDENT = ["StudentID", "Subject", "Grade", "Semester", "Score"]
_SPECIAL_IN_QUOTES = re.compile(r'".*[^\d\w\s].*"')
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_NAPOLEON = range(1769, 1822)
_LONG_MONTHS, _SHORT_MONTHS = (1, 3, 5, 7, 8, 10, 12), (4, 6, 9, 11)


def csv_city(text: str, asked: Asked) -> bool:
    """Comma-delimited: the five columns and seven rows."""
    rows = _rows(text if asked.is_published else text.strip(), ",")
    return len(rows) == 8 and rows[0] == _CITY and _all_of_five(rows)


def csv_special_character(text: str, asked: Asked) -> bool:
    """Comma-delimited: five columns, 14 rows, a field in quotes that holds a special character.

    Published: rows below the first such field are not looked at.
    """
    if not _has_header(text, _PRODUCT, r",[ \t]*"):
        return False
    rows = _rows_with_quotes(text, ",", asked)
    if len(rows) != 15:
        return False
    if not asked.is_published and not _all_of_five(rows):
        return False
    for row in rows[1:]:
        if len(row) != 5:
            return False
        if any(_SPECIAL_IN_QUOTES.match(field) for field in row):
            return True
    return False


def csv_quotes(text: str, asked: Asked) -> bool:
    """Tab-delimited: five columns, three rows, each field in double quotes."""
    if not _has_header(text, _STUDENT, r"\t *"):
        return False
    rows = _rows_with_quotes(text, "\t", asked)
    fields = [field.strip() for row in rows for field in row]
    return (
        len(rows) == 4
        and _all_of_five(rows)
        and all(field.startswith('"') and field.endswith('"') for field in fields)
    )


def _has_header(text: str, names: Sequence[str], delimiter: str) -> bool:
    pattern = delimiter.join(f'({name}|"{name}")' for name in names)
    return re.match(f"^{pattern}$", text.split("\n")[0].strip()) is not None


def _rows_with_quotes(text: str, delimiter: str, asked: Asked) -> list[list[str]]:
    """The rows, the quotes around fields kept: each quote is tripled, and read as one again."""
    text = text if asked.is_published else text.strip()
    return _rows(text.replace('"', '"""'), delimiter)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The rows; none where the text is no CSV."""
    try:
        return list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


def _all_of_five(rows: Sequence[Sequence[str]]) -> bool:
    return all(len(row) == 5 for row in rows)


def date_format_list(text: str, asked: Asked) -> bool:
    """Dates of Napoleon's lifetime as YYYY-MM-DD, parted by commas.

    Published: month and day may be 00, and each February has 29 days.
    """
    is_date = _is_published_date if asked.is_published else _is_date
    return all(is_date(part.strip()) for part in text.strip().split(","))


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.match(text)) and datetime.date.fromisoformat(text).year in _NAPOLEON
    except ValueError:
        return False


def _is_published_date(text: str) -> bool:
    if not _DATE.match(text):
        return False
    year, month, day = map(int, text.split("-"))
    if year not in _NAPOLEON or month > 12:
        return False
    longest = 31 if month in _LONG_MONTHS else 30 if month in _SHORT_MONTHS else 29
    return day <= (99 if month == 0 else longest)


RULES: Mapping[str, Rule] = {
    "custom:csv_city": csv_city,
    "custom:csv_special_character": csv_special_character,
    "custom:csv_quotes": csv_quotes,
    "custom:date_format_list": date_format_list,
}
