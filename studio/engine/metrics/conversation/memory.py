"""What shows in a conversation: what was to be remembered, and what the user put right."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.conversation.stated import Correction
from studio.engine.metrics.conversation.turns import Made, Turn
from studio.engine.metrics.conversation.values import (
    alike_in,
    is_same,
    is_stated,
    is_used,
    leaves,
    plain,
    shape_of,
)

_MOST_CORRECTIONS = 100
_CORRECTING = re.compile(
    r"\b(?:actually|instead|rather|changed|correction|sorry|no longer|wrong|mistake|i meant|i mean|"
    r"make (?:it|that)|not .{1,40} but|it['’]s now|is now|switch|(?:my|the) new)\b|^no\b",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:also|another|as well|in addition|additionally|besides)\b", re.IGNORECASE
)


class Chance(NamedTuple):
    """A turn that needs something said earlier, and whether the agent remembered it."""

    turn: int
    is_met: bool


class _Said:
    """Where the user states a value; each is looked for once."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self._places: dict[str, tuple[int, ...]] = {}

    def places(self, value: Any) -> tuple[int, ...]:
        """The numbers of the turns in which the user states the value."""
        key = plain(value)
        if key not in self._places:
            numbered = enumerate(self._turns, 1)
            stated = tuple(number for number, turn in numbered if is_stated(value, turn.user))
            self._places[key] = stated
        return self._places[key]

    def last(self, value: Any, until: int) -> int | None:
        """The last of these turns up to a turn; None if there is none."""
        return max((place for place in self.places(value) if place <= until), default=None)


class _Superseded:
    """Which values were put right by a turn, and not stated again since."""

    def __init__(self, said: _Said, corrections: Iterable[Correction] = ()) -> None:
        self._said = said
        self._by_old: dict[str, list[int]] = {}
        for each in corrections:
            self.add(each)

    def add(self, correction: Correction) -> None:
        self._by_old.setdefault(plain(correction.old), []).append(correction.turn)

    def holds(self, value: Any, number: int) -> bool:
        """Whether it is so for the value in the turn of that number."""
        return any(
            since <= number and not any(since < at <= number for at in self._said.places(value))
            for since in self._by_old.get(plain(value), ())
        )


def corrections_in(turns: Sequence[Turn]) -> list[Correction]:
    """The corrections that show in the text of the user.

    A turn corrects a value if it has words such as "actually", "changed" or "instead", none such as
    "also" or "another", and states another value that looks like one (an address, a date, a time,
    a number, a code) which the user stated before and a call used.
    """
    found: list[Correction] = []
    used: list[Any] = []
    said = _Said(turns)
    superseded = _Superseded(said)
    for number, turn in enumerate(turns[1:], 2):
        used = _used_by(turns[number - 2], number - 1, said, used)
        if len(found) >= _MOST_CORRECTIONS or not _is_correcting(turn.user):
            continue
        open_ones = [old for old in used if not superseded.holds(old, number - 1)]
        for shape, old in _one_a_shape(open_ones, turn.user).items():
            others = (each for each in alike_in(turn.user, shape) if not is_same(each, old))
            new = next(others, None)
            if new is not None:
                found.append(Correction(number, old, new))
                superseded.add(found[-1])
    return found


def _is_correcting(text: str) -> bool:
    return _CORRECTING.search(text) is not None and _ADDING.search(text) is None


def _one_a_shape(values: Sequence[Any], text: str) -> dict[str, Any]:
    """For each kind the value that the text names, or else the one used last."""
    named = [value for value in values if is_stated(value, text)]
    chosen = {shape_of(value): value for value in (*values, *named)}
    return {shape: value for shape, value in chosen.items() if shape is not None}


def _used_by(turn: Turn, number: int, said: _Said, before: Sequence[Any]) -> list[Any]:
    """The values of calls that the user had stated, each once, the one used last at the end."""
    used = list(before)
    for call in turn.calls:
        for _, value in leaves(call.arguments):
            if said.last(value, number) is not None:
                used = [each for each in used if not is_same(each, value)] + [value]
    return used


def chances_in(turns: Sequence[Turn], corrections: Sequence[Correction]) -> list[Chance]:
    """The later turns whose calls show that something said earlier was needed.

    Such a turn is met if a call uses a value that the user stated in an earlier turn only, or put
    right in this one.  It is not met if its calls use none of these but a value that was put
    right since, or one that nobody stated for an argument that the user had given.
    """
    chances = []
    said = _Said(turns)
    superseded = _Superseded(said, corrections)
    for number in range(2, len(turns) + 1):
        values = [leaf for call in turns[number - 1].calls for leaf in leaves(call.arguments)]
        fresh = {plain(each.new) for each in corrections if each.turn == number}
        kinds = {
            "superseded" if superseded.holds(value, number)
            else "remembered" if plain(value) in fresh
            else _kind(key, value, number, said, turns)
            for key, value in values
        }  # fmt: skip
        if "remembered" in kinds:
            chances.append(Chance(number, is_met=True))
        elif kinds & {"superseded", "made up"}:
            chances.append(Chance(number, is_met=False))
    return chances


def _kind(key: str, value: Any, number: int, said: _Said, turns: Sequence[Turn]) -> str:
    """How a value of a call in a turn stands to what the user said."""
    stated = said.last(value, number)
    if stated is not None:
        return "remembered" if stated < number else "new"
    results = (result for turn in turns[:number] for result in turn.results)
    if any(is_stated(value, result) for result in results):
        return "found"
    return "made up" if _was_given(key, turns[: number - 1], said) else "its own"


def _was_given(key: str, turns: Sequence[Turn], said: _Said) -> bool:
    """Whether an argument of this name had a value that the user stated."""
    return any(
        name == key and said.last(value, len(turns)) is not None
        for turn in turns
        for call in turn.calls
        for name, value in leaves(call.arguments)
    )


def stale_calls(
    turns: Sequence[Turn], corrections: Sequence[Correction]
) -> list[tuple[int, Made, Correction]]:
    """The calls that use a value after it was put right, and not the new one beside it."""
    superseded = _Superseded(_Said(turns), corrections)
    return [
        (number, call, each)
        for each in corrections
        for number in range(each.turn, len(turns) + 1)
        if superseded.holds(each.old, number)
        for call in turns[number - 1].calls
        if is_used(each.old, call.arguments) and not is_used(each.new, call.arguments)
    ]
