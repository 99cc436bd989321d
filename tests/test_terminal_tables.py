"""Tables of the terminal at any width: every word whole, every figure there."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from studio.terminal_tables import show_table

HEADINGS = ("Query", "Outcome", "Answer contains", "Tool-call accuracy", "Tokens")
ROWS = (
    ("What do 3 grams of gold cost in euros?", "finished", "1.00", "0.50", "1,234"),
    ("[bold]Why?[/bold]", "failed: server", "–", "–", ""),
)


def shown(width: int, rows: Sequence[Sequence[str]] = ROWS, headings=HEADINGS) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        show_table(console, headings, rows, numbers=headings[2:])
    return captured.get()


def test_where_there_is_room_the_rows_stand_in_a_table():
    head, first, second, *_ = shown(120).splitlines()
    assert head.split() == " ".join(HEADINGS).split()
    assert first.rstrip().endswith("1.00                0.50   1,234")
    assert second.startswith("[bold]Why?[/bold]"), "no markup"


def test_where_there_is_less_the_headings_are_broken_and_no_cell_is():
    lines = shown(80).splitlines()
    assert "contains" in lines[1]
    assert "Answer" in lines[0]
    assert "failed: server" in "\n".join(lines)


@pytest.mark.parametrize("width", [60, 40, 30])
def test_where_there_is_no_room_each_row_is_a_paragraph(width):
    told = shown(width)
    assert "Outcome finished" in told
    assert "Tool-call accuracy 0.50" in told
    assert "Tokens 1,234" in told
    assert told.count("Tokens") == 1, "an empty cell says nothing"


@given(
    st.integers(10, 200), st.lists(st.lists(st.text("ab 1·é", max_size=30), min_size=3, max_size=3))
)
def test_no_line_is_wider_than_the_terminal(width, rows):
    lines = shown(width, rows, ("One", "Two words", "Three")).splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)


def test_a_row_that_is_about_a_number_says_of_what():
    assert "Run 3" in shown(
        20, [("3", "a long enough name", "finished")], ("Run", "Name", "Ending")
    )


def test_foreign_text_cannot_steer_the_terminal():
    told = shown(80, [("a\x1b[2Jb\x07", "c\x9bd", "e")], ("One", "Two", "Three"))
    assert not {"\x1b", "\x07", "\x9b"} & set(told)
    assert "a\N{REPLACEMENT CHARACTER}[2Jb" in told
