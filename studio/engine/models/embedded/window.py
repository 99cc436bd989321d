"""Messages cut to the context window, as a server does when it may cut.

First whole messages go, from the beginning; system messages and the last message stay.  If that
is not enough, tokens go: a few at the beginning stay, then the end of the prompt.
"""

from collections.abc import Awaitable, Callable, Sequence

from studio.engine.models.embedded.asked import Message

Tokenise = Callable[[Sequence[Message]], Awaitable[list[int]]]
_SMALLEST = 4


async def fit(
    messages: Sequence[Message], tokenise: Tokenise, window: int, keep: int
) -> tuple[list[int], Sequence[Message]]:
    """The tokens of the prompt in at most `window` tokens, and the messages that are in it."""
    window = max(window, _SMALLEST)
    tokens: list[int] = []
    kept = messages
    for first in range(max(len(messages), 1)):
        kept = [m for m in messages[:first] if m.role == "system"] + list(messages[first:])
        tokens = await tokenise(kept)
        if len(tokens) <= window:
            return tokens, kept
    return cut(tokens, window, keep), kept


def cut(tokens: list[int], window: int, keep: int) -> list[int]:
    """Tokens that fill about half of the window: `keep` of the beginning, and the end."""
    keep = min(keep, window)
    room = window - max((window - keep) // 2, 1)
    keep = min(keep, room)
    return tokens[:keep] + tokens[len(tokens) - (room - keep) :]
