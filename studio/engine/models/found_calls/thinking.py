"""The part of a reply that is thinking: no call in it is meant to be carried out."""

import re
from typing import NamedTuple

_TAG = re.compile(
    r"<(?P<close>/)?(?:think|thinking|thought|reasoning)>"
    r"|\[(?P<close2>/)?THINK\]"
    r"|<\|(?:START_THINKING|(?P<close3>END_THINKING))\|>"
    r"|<\|channel>thought\b|(?P<close4><channel\|>)",
)
_CLOSES = ("close", "close2", "close3", "close4")


class Split(NamedTuple):
    thinking: str
    rest: str


def split_thinking(text: str) -> Split:
    """Takes the thinking out of `text`.

    What stands before a lone closing tag is thinking, and so is all after an opening one that is
    never closed.
    """
    thinking: list[str] = []
    rest: list[str] = []
    begin = 0
    is_open = False
    for tag in _TAG.finditer(text):
        closes = any(tag[group] for group in _CLOSES)
        part = text[begin : tag.start()]
        if closes and not is_open and not thinking:
            # The opening tag was in the prompt.
            thinking = [*rest, part]
            rest = []
        else:
            (thinking if is_open else rest).append(part)
        begin = tag.end()
        is_open = not closes
    (thinking if is_open else rest).append(text[begin:])
    return Split("\n".join(filter(None, map(str.strip, thinking))), "".join(rest))
