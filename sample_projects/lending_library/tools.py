"""The desk of a small lending library: fixed tables, so that every answer can be checked."""

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

TODAY = date(2026, 3, 2)
FEE_PER_DAY = 0.15
READERS = {
    "Ada Byron": {"reader_id": "R7", "may_borrow": True},
    "Max Noon": {"reader_id": "R9", "may_borrow": False},
}
BOOKS = {
    "Emma": {"book_id": "B2", "author": "Jane Austen", "free": True},
    "Middlemarch": {"book_id": "B5", "author": "George Eliot", "free": False},
    "Walden": {"book_id": "B8", "author": "Henry David Thoreau", "free": True},
}
HANDBOOK = json.loads(
    (Path(__file__).parent / "data" / "handbook.json").read_text(encoding="utf-8")
)


def find_reader(name: str) -> dict[str, Any]:
    """Find a reader of the library by name.

    Args:
        name: First and last name, as the reader gave it.
    """
    return _found(READERS, name, "reader")


def find_book(title: str) -> dict[str, Any]:
    """Find a book by its title, and whether it is free.

    Args:
        title: The title, without the author.
    """
    return _found(BOOKS, title, "book")


def open_loan(reader_id: str, book_id: str, weeks: int) -> dict[str, Any]:
    """Lend a book to a reader.

    Args:
        reader_id: Such as R7, from find_reader.
        book_id: Such as B2, from find_book.
        weeks: For how many weeks, 1 to 4.
    """
    reader = next((each for each in READERS.values() if each["reader_id"] == reader_id), None)
    book = next((each for each in BOOKS.values() if each["book_id"] == book_id), None)
    if reader is None or book is None:
        raise ValueError(f"There is no reader {reader_id!r} or no book {book_id!r}.")
    if not reader["may_borrow"]:
        raise ValueError(f"Reader {reader_id} has unpaid fees and may not borrow.")
    if not book["free"] or not 1 <= weeks <= 4:
        raise ValueError(f"{book_id} is lent already, or {weeks} is not 1 to 4 weeks.")
    due = TODAY + timedelta(weeks=weeks)
    return {"loan": f"L-{book_id[1:]}00{weeks}", "due": due.isoformat()}


def late_fee(days: int) -> dict[str, Any]:
    """Get the fee for a book that is brought back late.

    Args:
        days: How many days late it is.
    """
    if days < 0:
        raise ValueError("Days cannot be fewer than 0.")
    return {"fee": round(days * FEE_PER_DAY, 2), "currency": "EUR"}


def search_handbook(question: str) -> list[dict[str, str]]:
    """Search the library's handbook: opening hours, fees, loans, rooms.

    Args:
        question: What to look for, in a few words.
    """
    asked = _words(question)
    ranked = sorted(HANDBOOK, key=lambda page: -len(asked & _words(page["text"])))
    return [page for page in ranked if asked & _words(page["text"])][:3]


def _found(table: dict[str, dict[str, Any]], name: str, kind: str) -> dict[str, Any]:
    for known, facts in table.items():
        if known.casefold() == name.strip().casefold():
            return {"name": known, **facts}
    raise ValueError(f"There is no {kind} {name!r}.")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))
