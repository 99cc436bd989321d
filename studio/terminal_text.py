"""Foreign text in a terminal."""

import re
import textwrap

_MADE = re.compile(r"q-[0-9a-f]{10}(-\d+)?\Z")
_MOST_TOLD = 60

# Line ends and tabs aside.  The last two turn the direction of what stands behind them.
_CONTROLS = dict.fromkeys(
    (
        *(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    "\N{REPLACEMENT CHARACTER}",
)


def visible(text: str) -> str:
    """Foreign text that cannot steer the terminal: what is no character is seen as such."""
    return text.translate(_CONTROLS)


def titled(query_id: str, text: str) -> str:
    """A query by its id, and by its text as well where the studio made the id from that.

    An id of the author's own tells which query it is; a made one tells nobody.
    """
    if not _MADE.match(query_id):
        return query_id
    return f"{query_id} {textwrap.shorten(text, _MOST_TOLD, placeholder='…')}".rstrip()
