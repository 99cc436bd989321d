"""What a query states of a conversation: what is to be remembered, and what the user puts right."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from studio.engine.metrics.conversation.turns import Turn
from studio.engine.metrics.conversation.values import is_stated, is_used
from studio.engine.records import Query
from studio.engine.unfit import unfit

_MOST_TURNS = 200

Place = Annotated[int, msgspec.Meta(ge=1)]
Scalar = str | int | float


class BadConversation(ValueError):
    """What the query states of the conversation cannot be read; says what is wrong."""


class Needed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In turn `turn` (from 1) the agent needs `value`, which was said before."""

    turn: Place
    value: Scalar


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """In turn `turn` (from 1) the user says that it is `new` and no longer `old`."""

    turn: Place
    old: Scalar
    new: Scalar


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a query states below `expected: conversation`; None is what it leaves to be found."""

    memory: tuple[Needed, ...] | None = None
    corrections: tuple[Correction, ...] | None = None


def wanted_by(query: Query) -> Wanted:
    """What the query states of the conversation.  Raises BadConversation."""
    stated = query.expected.more.get("conversation")
    try:
        return Wanted() if stated is None else msgspec.convert(stated, Wanted)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise BadConversation(f"conversation: {unfit(error)}") from None


def checked(turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns, if there are several and not too many.  Raises BadConversation."""
    if len(turns) < 2:
        raise BadConversation("the conversation has one turn")
    if len(turns) > _MOST_TURNS:
        raise BadConversation(f"the conversation has more than {_MOST_TURNS} turns")
    return turns


def is_taken_up(turns: Sequence[Turn], correction: Correction) -> bool:
    """Whether a call from the correction on uses the new value."""
    later = turns[correction.turn - 1 :]
    return any(is_used(correction.new, call.arguments) for turn in later for call in turn.calls)


def is_met(turns: Sequence[Turn], needed: Needed) -> bool:
    """Whether a call of the turn uses the value; where it made none, whether the agent says it."""
    if needed.turn > len(turns):
        return False
    turn = turns[needed.turn - 1]
    if turn.calls:
        return any(is_used(needed.value, call.arguments) for call in turn.calls)
    return any(is_stated(needed.value, text) for text in turn.said)
