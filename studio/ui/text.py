"""How things are written in the window: foreign text made harmless, numbers, times, sizes.

Qt guesses whether a text is markup in labels, tooltips and message boxes, and markup loads local
files that it names.  Text that came from a model, a tool, a project or a server is therefore shown
in a plain-text widget, or goes through `plain` (or `tip` for a tooltip) first.
"""

import math
import time
import unicodedata

MAX_SHOWN = 400
_JOINER = "\u2060"
_NOTHING = "–"
_ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\n", "<br>"))
# Characters that turn the direction of a line: they can make a name read as another one.
# The first nine reach beyond their own text, into the words that the studio puts behind it.
_FAR_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TURNS = frozenset(_FAR_TURNS + "\u200e\u200f\u061c")
_UNTURNED = dict.fromkeys(map(ord, _FAR_TURNS), "\N{REPLACEMENT CHARACTER}")


def plain(text: str, limit: int = MAX_SHOWN) -> str:
    """Foreign text fit for one place in the window: short, printable, never taken for markup.

    An invisible joiner behind each `<` and `&` keeps Qt from seeing a tag or an entity.
    """
    shown = "".join(_visible(character) for character in text[: limit + 1])
    if len(text) > limit:
        shown = shown[:limit] + "…"
    return shown.replace("<", f"<{_JOINER}").replace("&", f"&{_JOINER}")


def tip(text: str, limit: int = MAX_SHOWN) -> str:
    """Foreign text for a tooltip or another place that always reads markup: escaped, wrapping."""
    if not text:
        return ""  # Qt shows a tooltip for an empty document, and none for an empty text
    shown = "".join(_visible(character) for character in text[:limit])
    shown += "…" if len(text) > limit else ""
    for character, written in _ESCAPES:
        shown = shown.replace(character, written)
    return f"<qt>{shown}</qt>"


def unturned(text: str) -> str:
    """Foreign text as it is, but that it cannot turn the direction of what follows it."""
    return text.translate(_UNTURNED)


def menu_text(text: str) -> str:
    """Foreign text for a menu or a button, where a lone `&` would mark a letter."""
    return plain(text, 80).replace(f"&{_JOINER}", "&&").replace("\n", " ")


def one_line(text: str, limit: int = MAX_SHOWN) -> str:
    """The text with line breaks and runs of blanks as single blanks, for table cells."""
    return unturned(" ".join(text[: 2 * limit].split())[:limit])


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    if character in _TURNS or unicodedata.category(character) in {"Cc", "Cs"}:
        return "\N{REPLACEMENT CHARACTER}"
    return character


def count(number: int) -> str:
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 query`, `20 queries`; the plural adds an s unless it is given."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def score(value: float | None) -> str:
    """A score or a mean with two digits; a dash when there is none."""
    return _NOTHING if value is None else f"{value:.2f}"


def decimal(value: float) -> str:
    """A number as a person would type it: no digits that say nothing."""
    return f"{value:.12g}"


def seconds(value: float | None) -> str:
    """A duration: `3 ms`, `7.1 s`, `2 min 5 s`, `1 h 12 min`."""
    if value is None or not math.isfinite(value):
        return _NOTHING
    if value < 0.0995:
        return f"{value * 1000:.0f} ms"
    if value < 99.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def time_left(span: tuple[float, float] | None) -> str:
    """A rough range: `about 40–70 s left`; "" while nothing is known."""
    if span is None:
        return ""
    low, high = (max(0, _rounded(bound)) for bound in span)
    if high < 100:
        return f"about {low}–{high} s left" if low != high else f"about {high} s left"
    low_minutes, high_minutes = max(1, round(low / 60)), max(1, round(high / 60))
    if low_minutes == high_minutes:
        return f"about {high_minutes} min left"
    return f"about {low_minutes}–{high_minutes} min left"


def _rounded(value: float) -> int:
    return math.ceil(value) if value < 10 else 5 * round(value / 5)


def size(bytes_: int) -> str:
    """A size in decimal units: `145 MB`."""
    amount = float(bytes_)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit in {"B", "kB", "MB"} else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def moment(unix: float) -> str:
    """A point in time, local: `2 Mar 2026, 14:05`."""
    local = time.localtime(unix)
    return f"{local.tm_mday} {time.strftime('%b %Y, %H:%M', local)}"
