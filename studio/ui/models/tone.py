"""What a colour means; the theme says which colour it is."""

from enum import StrEnum
from typing import NamedTuple


class Tone(StrEnum):
    """Each is the name of a token of the theme that may be used for text."""

    TEXT = "text"
    MUTED = "muted"
    ACCENT = "accent"
    GOOD = "good"
    BAD = "bad"
    MARK = "mark"


class Badge(NamedTuple):
    """A short remark beside a row: never the colour alone, always a word."""

    word: str
    tone: Tone = Tone.MUTED
