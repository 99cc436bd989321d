"""Long texts of models and tools, shown as they are and a piece at a time."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.ui.models.detail import Passage
from studio.ui.models.tone import Tone
from studio.ui.theme import DARK, LIGHT, Theme
from studio.ui.widgets.reading import SHOWN, Reading, pieces


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp, "light")
    yield made
    made.choose("light")
    made.deleteLater()


@pytest.fixture
def reading(theme: Theme, qtbot: QtBot) -> Reading:
    made = Reading("Call", theme)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_markup_is_shown_as_the_characters_it_is(reading: Reading):
    hostile = '<img src="file:///etc/passwd"><b>bold</b> &amp;'
    reading.read([Passage(hostile)])
    assert reading.text.toPlainText() == hostile
    assert not reading.all.isVisible()


def test_a_long_text_is_cut_until_all_of_it_is_asked_for(reading: Reading, qtbot: QtBot):
    text = "".join(f"line {number}\n" for number in range(20_000))
    reading.read([Passage("head\n"), Passage(text)])
    assert len(reading.text.toPlainText()) < 3 * SHOWN
    assert reading.all.text() == f"Show all ({len(text) + 5:,} characters)"
    qtbot.mouseClick(reading.all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: reading.text.toPlainText() == f"head\n{text}", timeout=20_000)
    assert not reading.all.isVisible()


def test_another_text_ends_the_loading_of_the_one_before(reading: Reading, qtbot: QtBot):
    reading.read([Passage("a" * 500_000)])
    qtbot.mouseClick(reading.all, Qt.MouseButton.LeftButton)
    reading.read([Passage("short")])
    qtbot.wait(30)
    assert reading.text.toPlainText() == "short"


def test_the_same_text_again_leaves_the_reader_where_he_was(reading: Reading):
    passages = [Passage("line\n" * 500)]
    reading.read(passages)
    bar = reading.text.verticalScrollBar()
    bar.setValue(200)
    reading.read(list(passages))
    assert bar.value() == 200


def test_tones_follow_the_theme(reading: Reading, theme: Theme):
    reading.read([Passage("wrong", Tone.BAD)])

    def colour() -> str:
        cursor = reading.text.textCursor()
        cursor.setPosition(2)
        return cursor.charFormat().foreground().color().name()

    assert colour() == LIGHT.bad
    theme.choose("dark")
    assert colour() == DARK.bad


@given(st.lists(st.text(max_size=60), max_size=5), st.integers(1, 700))
def test_pieces_lose_no_character(texts: list[str], times: int):
    passages = [Passage(text * times) for text in texts]
    shown = "".join(piece.text for piece in pieces(passages))
    whole = "".join(passage.text for passage in passages)
    assert shown.replace("\n", "") == whole.replace("\n", "")
    assert max(map(len, shown.split("\n"))) <= 13_000


def test_a_line_of_a_megabyte_is_broken():
    shown = "".join(piece.text for piece in pieces([Passage("x" * 1_000_000)]))
    assert max(map(len, shown.split("\n"))) <= 2_000
