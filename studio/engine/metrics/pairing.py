"""Pairs what was expected with what was done so that as many as possible are paired."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Wanted = TypeVar("Wanted")
Done = TypeVar("Done")

MOST = 1_000
"""So many on each side are paired at most; more are no work that a person would look at."""


class TooMany(Exception):
    """More calls than can be paired in a reasonable time."""

    def __init__(self, count: int, most: int = MOST) -> None:
        super().__init__(f"{count:,} calls are more than the {most:,} that can be paired")


def check_count(one: Sequence[object], other: Sequence[object], most: int = MOST) -> None:
    """Raises TooMany where both are many: each of one is then held against each of the other."""
    count = min(len(one), len(other))
    if count > most:
        raise TooMany(count, most)


def pairs(
    wanted: Sequence[Wanted], done: Sequence[Done], fit: Callable[[Wanted, Done], bool]
) -> list[int | None]:
    """For each that is wanted the place of its own in `done`, or None.

    As many as possible are paired (Kuhn's augmenting paths), whatever the order: taking the first
    that fits may leave nothing for a later one.  Raises TooMany.
    """
    if max(len(wanted), len(done)) > MOST:
        raise TooMany(max(len(wanted), len(done)))
    fitting = [[place for place, each in enumerate(done) if fit(one, each)] for one in wanted]
    pairing = _Pairing(fitting)
    for number in range(len(wanted)):
        pairing.augment(number)
    return [pairing.place.get(number) for number in range(len(wanted))]


class _Pairing:
    """`fitting` lists for each number the places that fit it."""

    def __init__(self, fitting: Sequence[Sequence[int]]) -> None:
        self.place: dict[int, int] = {}
        self._fitting = fitting
        self._owner: dict[int, int] = {}
        self._hopeless: set[int] = set()

    def augment(self, start: int) -> None:
        """Give `start` a place, moving others to another place of theirs where that helps."""
        came_from: dict[int, int] = {}
        pending = [start]
        while pending:
            number = pending.pop()
            for place in self._fitting[number]:
                if place in came_from or place in self._hopeless:
                    continue
                came_from[place] = number
                if place not in self._owner:
                    self._hand_over(place, came_from)
                    return
                pending.append(self._owner[place])
        # What could not be freed now cannot be freed later: no free place can be reached from it.
        self._hopeless.update(came_from)

    def _hand_over(self, place: int | None, came_from: dict[int, int]) -> None:
        while place is not None:
            number = came_from[place]
            before = self.place.get(number)
            self.place[number] = place
            self._owner[place] = number
            place = before
