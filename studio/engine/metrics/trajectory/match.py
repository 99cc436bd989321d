"""The four ways in which trajectories match, and the four in which the arguments of calls do.

Trajectories: `strict` (the same messages in the same order, the calls within a message in any),
`unordered` (the same calls), `subset` (no call beyond the reference), `superset` (every call of
the reference).  Arguments: `exact`, `ignore`, `subset` (none beyond the reference's), `superset`
(all of the reference's); an override may name the arguments that count instead.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from studio.engine.metrics.pairing import check_count, pairs
from studio.engine.metrics.trajectory.message import Call, Message

Match = Literal["strict", "unordered", "subset", "superset"]
Arguments = Literal["exact", "ignore", "subset", "superset"]
Override = Arguments | list[str]
Same = Callable[[Any, Any], bool]
Fits = Callable[[Call, Call], bool]
"""Whether the first call, that was made, fits the second, of the reference."""
_MOST_COMPARED = 3_000
Compare = Callable[[Sequence[Call], Sequence[Call], Fits], bool]


def fitting(arguments: Arguments, overrides: Mapping[str, Any], same: Same | None = None) -> Fits:
    """How calls are compared: by name, then by their arguments.

    `same` compares values; without it they are compared as Python does, by which True is 1.
    """
    if not overrides:
        return _fitting(arguments, same)
    default = _comparison(arguments, same)
    special = {name: _override(how, same) for name, how in overrides.items() if how}

    def fits(made: Call, wanted: Call) -> bool:
        if made.name != wanted.name:
            return False
        return special.get(made.name, default)(made.arguments, wanted.arguments)

    return fits


@cache
def _fitting(arguments: Arguments, same: Same | None) -> Fits:
    compare = _comparison(arguments, same)
    if arguments == "exact":
        # What was read from the same text is one object.
        return lambda made, wanted: (
            made.name == wanted.name
            and (made.arguments is wanted.arguments or compare(made.arguments, wanted.arguments))
        )
    return lambda made, wanted: (
        made.name == wanted.name and compare(made.arguments, wanted.arguments)
    )


def _override(how: Any, same: Same | None) -> Same:
    if isinstance(how, str):
        return _comparison(how, same)
    if isinstance(how, list):
        return _on_keys(how, same or _equal)
    raise TypeError(f"{how!r:.60} is no way to compare arguments")


def _comparison(how: str, same: Same | None) -> Same:
    equal = same or _equal
    match how:
        case "exact":
            return equal
        case "subset":
            return lambda made, wanted: _holds(wanted, made, equal)
        case "superset":
            return lambda made, wanted: _holds(made, wanted, equal)
        case _:
            return _anything


def _anything(made: Any, wanted: Any) -> bool:  # noqa: ARG001 - it is one way among four
    return True


def _equal(made: Any, wanted: Any) -> bool:
    return bool(made == wanted)


def _holds(larger: Mapping[str, Any], smaller: Mapping[str, Any], same: Same) -> bool:
    for key, value in smaller.items():
        if key not in larger or not same(larger[key], value):
            return False
    return True


def _on_keys(paths: Sequence[str], same: Same) -> Same:
    split = [path.split(".") for path in paths]
    return lambda made, wanted: all(same(_at(made, path), _at(wanted, path)) for path in split)


def _at(value: Any, path: Sequence[str]) -> Any:
    """What stands below the keys; None where nothing does."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def is_symmetric(arguments: Arguments, overrides: Mapping[str, Any]) -> bool:
    """Whether calls fit each other or not, whichever was made: taking the first is optimal then."""
    for way in (arguments, *overrides.values()):
        if way not in _SYMMETRIC and not isinstance(way, list):
            return False
    return True


_SYMMETRIC = ("exact", "ignore")


def matches_as_published(
    match: Match, made: Sequence[Message], wanted: Sequence[Message], fits: Fits, *, both_ways: bool
) -> bool:
    """As agentevals 0.0.9 does it: each call takes the first that fits, for good.

    It compares what it looks through with what it looks for, whichever was made.  `both_ways`:
    whether that makes a difference.
    """
    if match == "strict":
        return _is_strict(made, wanted, fits, _all_taken)
    one, other = _calls(made), _calls(wanted)
    if match == "superset":
        return _all_found(other, one, fits)
    if match == "subset":
        return _all_found(one, other, fits)
    if len(one) != len(other) or not _all_found(other, one, fits):
        return False
    return not both_ways or _all_found(one, other, fits)


def matches(match: Match, made: Sequence[Message], wanted: Sequence[Message], fits: Fits) -> bool:
    """The same question, each call of one side having one of its own on the other."""
    if match == "strict":
        return _is_strict(made, wanted, fits, _all_paired)
    one, other = _calls(made), _calls(wanted)
    if match == "superset":
        return _all_found(other, one, fits) or None not in pairs(other, one, _turned(fits))
    if match == "unordered" and len(one) != len(other):
        return False
    return _all_paired(one, other, fits)


def matches_simply(
    match: Match, made: Sequence[Message], wanted: Sequence[Message], fits: Fits
) -> bool:
    """As `matches`, where calls fit each other whichever was made (see `is_symmetric`)."""
    return matches_as_published(match, made, wanted, fits, both_ways=False)


def _turned(fits: Fits) -> Fits:
    return lambda wanted, made: fits(made, wanted)


def _is_strict(
    made: Sequence[Message], wanted: Sequence[Message], fits: Fits, compare: Compare
) -> bool:
    if len(made) != len(wanted):
        return False
    for one, other in zip(made, wanted, strict=True):
        calls, others = one.calls, other.calls
        if one.role != other.role or (calls is None) != (others is None):
            return False
        if calls is None or others is None:
            continue
        if len(calls) != len(others) or not compare(calls, others, fits):
            return False
    return True


def _all_taken(made: Sequence[Call], wanted: Sequence[Call], fits: Fits) -> bool:
    """Whether each call made takes a wanted one for itself, the first that it fits."""
    check_count(made, wanted, _MOST_COMPARED)
    left = list(wanted)
    for call in made:
        for place, each in enumerate(left):
            if fits(call, each):
                del left[place]
                break
        else:
            return False
    return True


def _all_found(looked_for: Sequence[Call], among: Sequence[Call], fits: Fits) -> bool:
    """As `_all_taken`, with what is looked through in the place of what was made."""
    check_count(looked_for, among, _MOST_COMPARED)
    left = list(among)
    for call in looked_for:
        for place, each in enumerate(left):
            if fits(each, call):
                del left[place]
                break
        else:
            return False
    return True


def _all_paired(made: Sequence[Call], wanted: Sequence[Call], fits: Fits) -> bool:
    return _all_taken(made, wanted, fits) or None not in pairs(made, wanted, fits)


def _calls(messages: Sequence[Message]) -> list[Call]:
    return [call for message in messages if message.calls for call in message.calls]
