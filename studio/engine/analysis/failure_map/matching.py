"""Which calls that were made stand for which calls that were wanted."""

from collections.abc import Sequence
from typing import NamedTuple

from studio.engine.analysis.failure_map.made import Made
from studio.engine.analysis.failure_map.wanted import Wanted
from studio.engine.metrics.pairing import pairs

MOST = 200
"""More calls on a side are not compared: no person would look at them either."""


class Matched(NamedTuple):
    """Every wanted call is in `done`, `wrong` or `missing`; every call made in one of the others.

    `done` are right; `wrong` are of the right tool, with other arguments; `beyond` stand for
    nothing that was wanted.
    """

    done: list[tuple[Wanted, Made]]
    wrong: list[tuple[Wanted, Made]]
    missing: list[Wanted]
    beyond: list[Made]


def matched(wanted: Sequence[Wanted], made: Sequence[Made], *, ignores_case: bool) -> Matched:
    """As many right calls as possible first, then the nearest call of the same tool for the rest.

    So a call that went wrong and was made right afterwards is beyond the wanted, and no fault.
    """

    def fits(one: Wanted, call: Made) -> bool:
        return one.name == call.name and not differing(one, call, ignores_case=ignores_case)

    # Of equal calls the one that gave something stands for what was wanted.
    order = sorted(range(len(made)), key=lambda number: not made[number].succeeded)
    found_at = pairs(wanted, [made[number] for number in order], fits)
    places = [None if place is None else order[place] for place in found_at]
    left = [call for place, call in enumerate(made) if place not in places]
    found = Matched([], [], [], left)
    for one, place in zip(wanted, places, strict=True):
        if place is not None:
            found.done.append((one, made[place]))
        elif near := _nearest(one, left, ignores_case=ignores_case):
            left.remove(near)
            found.wrong.append((one, near))
        else:
            found.missing.append(one)
    return found


def differing(wanted: Wanted, call: Made, *, ignores_case: bool) -> list[str]:
    """The arguments that are not right: another value, not given, or given and not wanted."""
    given = call.arguments
    keys = [key for key in wanted.arguments if key not in given and wanted.is_needed(key)]
    for key, value in given.items():
        if key not in wanted.arguments:
            if not wanted.is_open:
                keys.append(key)
        elif not wanted.accepts(key, value, ignores_case=ignores_case):
            keys.append(key)
    return keys


def _nearest(wanted: Wanted, left: Sequence[Made], *, ignores_case: bool) -> Made | None:
    """The call of the same tool with the fewest wrong arguments; the earliest of several."""
    of_the_tool = [call for call in left if call.name == wanted.name]
    return min(
        of_the_tool,
        key=lambda call: len(differing(wanted, call, ignores_case=ignores_case)),
        default=None,
    )
