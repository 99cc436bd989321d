"""Tables in a terminal that stay readable: where one has no room, its rows become paragraphs."""

import textwrap
from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from studio.terminal_text import visible

_GAP = 2
_NARROWEST = 24
"""Characters that the first column is left with at least, if its texts are that long."""


def show_table(
    console: Console,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Collection[str] = (),
) -> None:
    """Print the rows: plain text, the first cell of each says what it is about.

    `numbers` are the headings whose cells stand at the right.
    """
    if not rows:
        return
    rows = [tuple(map(visible, row)) for row in rows]
    columns = list(zip(*rows, strict=True))
    for shown in (list(headings), list(map(_broken, headings, columns))):
        if _width(shown, columns) <= console.width:
            is_number = [heading in numbers for heading in headings]
            console.print(_table(shown, rows, is_number))
            return
    for row in rows:
        about = f"{headings[0]} {row[0]}" if row[0].isdigit() else row[0]
        console.print(Text(about, style="bold"))
        told = [f"{heading} {cell}" for heading, cell in zip(headings, row, strict=True) if cell]
        show_indented(console, _filled(told[1:], console.width - _GAP))


def show_indented(console: Console, lines: Iterable[str]) -> None:
    """Print lines that go below another, each as long as it is."""
    for line in lines:
        console.print(Padding(Text(visible(line)), (0, 0, 0, _GAP), expand=False))


def _broken(heading: str, cells: Iterable[str]) -> str:
    """The heading over as many lines as its cells' width asks for."""
    words = heading.split()
    width = max(map(len, (*words, *cells)))
    return "\n".join(textwrap.wrap(heading, width, break_long_words=False, break_on_hyphens=False))


def _width(headings: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    """The least width of a table in which only the first column is wrapped."""
    first, *others = (
        max(len(line) for text in (heading, *cells) for line in text.split("\n"))
        for heading, cells in zip(headings, columns, strict=True)
    )
    return min(first, _NARROWEST) + sum(others) + _GAP * len(others)


def _table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], is_number: Sequence[bool]
) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(
            Text(heading),
            justify="right" if is_number[place] else "left",
            vertical="bottom",
            no_wrap=place > 0,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _filled(parts: Iterable[str], width: int) -> list[str]:
    """The parts one behind the other, in lines that break between two of them."""
    lines: list[str] = []
    for part in parts:
        joined = f"{lines[-1]} · {part}" if lines else part
        if lines and len(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines
