import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import Qt, QTextDocument
from PySide6.QtWidgets import QApplication

from studio.ui import text

HOSTILE = (
    '<img src="file:///etc/hostname">',
    "<b>bold</b>",
    "&lt;b&gt;",
    "<!doctype html><h1>x</h1>",
    "<?xml version='1.0'?><b>",
    "\n<b>",
    "hello <img src='//host/share/x.png'> there",
    "<table>" * 50,
    "a < b > c",
    "<a href='x'>y",
)
anything = st.text() | st.sampled_from(HOSTILE) | st.text(alphabet="<>&;/b!?a \n")


@given(anything)
def test_plain_text_never_looks_like_markup(foreign: str):
    assert not Qt.mightBeRichText(text.plain(foreign))


@given(anything)
def test_a_tooltip_shows_the_text_and_loads_nothing(foreign: str):
    loaded: list[str] = []

    class Document(QTextDocument):
        def loadResource(self, _kind, name):
            loaded.append(name.toString())

    assert QApplication.instance() or QApplication([])
    document = Document()
    document.setHtml(text.tip(foreign))
    document.size()
    assert loaded == []
    shown = "".join(document.toPlainText().split())
    assert shown == "".join(text.plain(foreign).replace("\u2060", "").split())


def test_plain_shows_everything_that_is_printable():
    assert text.plain("a < b & c > d é 漢 🙂").replace("\u2060", "") == "a < b & c > d é 漢 🙂"


@pytest.mark.parametrize("sly", ["\u202e", "\u2066", "\x00", "\x1b", "\ud800", "\x7f"])
def test_a_character_that_could_deceive_is_shown_as_replaced(sly: str):
    assert text.plain(f"a{sly}b") == "a\N{REPLACEMENT CHARACTER}b"


def test_a_direction_that_foreign_text_sets_ends_with_it_and_the_rest_stays():
    foreign = "\u202eevil\u2066 \u200fשלום é 👩‍👩‍👧"
    assert text.unturned(foreign) == "\ufffdevil\ufffd \u200fשלום é 👩‍👩‍👧"
    assert text.one_line("a\u202eb") == "a\ufffdb"


def test_nothing_to_say_is_no_tooltip():
    assert text.tip("") == ""


def test_a_long_text_is_cut_with_an_ellipsis():
    assert text.plain("x" * 50, 10) == "x" * 10 + "…"
    assert text.plain("x" * 10, 10) == "x" * 10
    assert len(text.one_line("x " * 10_000_000, 20)) == 20


def test_a_menu_shows_an_ampersand_as_it_is():
    assert text.menu_text("R&D") == "R&&D"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"), (math.nan, "–"), (0.0031, "3 ms"), (0.0996, "0.1 s"), (7.1, "7.1 s"),
        (99.96, "1 min 40 s"), (125, "2 min 5 s"), (120, "2 min"), (4320, "1 h 12 min"),
    ],
)  # fmt: skip
def test_durations_read_as_people_say_them(value: float | None, shown: str):
    assert text.seconds(value) == shown


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (None, ""), ((38, 71), "about 40–70 s left"), ((3.2, 3.9), "about 4 s left"),
        ((130, 400), "about 2–7 min left"), ((0, 0), "about 0 s left"),
        ((95, 119), "about 2 min left"),
    ],
)  # fmt: skip
def test_time_left_is_a_rough_range(span: tuple[float, float] | None, shown: str):
    assert text.time_left(span) == shown


def test_sizes_and_counts():
    assert [text.size(value) for value in (0, 999, 91_739_376, 2_019_393_189, 10**13)] == [
        "0 B", "999 B", "92 MB", "2.0 GB", "10.0 TB",
    ]  # fmt: skip
    assert text.counted(1, "query", "queries") == "1 query"
    assert text.counted(100_000, "query", "queries") == "100,000 queries"
    assert text.score(None) == "–"
    assert text.score(0.625) == "0.62"
