"""The four ways in which trajectories match, and the four in which the arguments of calls do.

Trajectories: `strict` (the same messages in the same order, the calls within a message in any),
`unordered` (the same calls), `subset` (no call beyond the reference), `superset` (every call of
the reference).  Arguments: `exact`, `ignore`, `subset` (none beyond the reference's), `superset`
(all of the reference's); an override may name the arguments that count instead.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from studio.engine.metrics.arguments import same_value
from studio.engine.metrics.pairing import pairs
from studio.engine.metrics.trajectory.messages import Call, Message

Match = Literal["strict", "unordered", "subset", "superset"]
Arguments = Literal["exact", "ignore", "subset", "superset"]
Override = Arguments | list[str]
Same = Callable[[Any, Any], bool]
Fits = Callable[[Call, Call], bool]
"""Whether the first call, that was made, fits the second, of the reference."""


def fitting(arguments: Arguments, overrides: Mapping[str, Any], same: Same | None = None) -> Fits:
    """How calls are compared: by name, then by their arguments.

    `same` compares values; without it they are compared as Python does, by which True is 1.
    """
    default = _comparison(arguments, same)
    special = {name: _override(how, same) for name, how in overrides.items() if how}

    def fits(made: Call, wanted: Call) -> bool:
        if made.name != wanted.name:
            return False
        compare = special.get(made.name, default) if special else default
        return compare(made.arguments, wanted.arguments)

    return fits


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
    return all(key in larger and same(larger[key], value) for key, value in smaller.items())


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


def matches_as_published(
    match: Match, made: Sequence[Message], wanted: Sequence[Message], fits: Fits
) -> bool:
    """As agentevals 0.0.9 does it: each call takes the first that fits, for good."""
    match match:
        case "strict":
            return _is_strict(made, wanted, fits, _all_taken)
        case "superset":
            return _all_found(_calls(wanted), _calls(made), fits)
        case "subset":
            return _all_found(_calls(made), _calls(wanted), fits)
        case "unordered":
            one, other = _calls(made), _calls(wanted)
            return _all_found(other, one, fits) and _all_found(one, other, fits)


def matches(match: Match, made: Sequence[Message], wanted: Sequence[Message], fits: Fits) -> bool:
    """The same question, each call of one side having one of its own on the other."""
    match match:
        case "strict":
            return _is_strict(made, wanted, fits, _all_paired)
        case "superset":
            return None not in pairs(_calls(wanted), _calls(made), lambda w, m: fits(m, w))
        case "subset":
            return None not in pairs(_calls(made), _calls(wanted), fits)
        case "unordered":
            return _all_paired(_calls(made), _calls(wanted), fits)


def same_argument(one: Any, other: Any) -> bool:
    """Equal by value: 5 is 5.0, True is not 1."""
    return same_value(one, other)


Compare = Callable[[Sequence[Call], Sequence[Call], Fits], bool]


def _is_strict(
    made: Sequence[Message], wanted: Sequence[Message], fits: Fits, compare: Compare
) -> bool:
    if len(made) != len(wanted):
        return False
    for one, other in zip(made, wanted, strict=True):
        if one.role != other.role or (one.calls is None) != (other.calls is None):
            return False
        calls, others = one.calls or (), other.calls or ()
        if len(calls) != len(others) or not compare(calls, others, fits):
            return False
    return True


def _all_taken(made: Sequence[Call], wanted: Sequence[Call], fits: Fits) -> bool:
    left = list(wanted)
    for call in made:
        place = next((place for place, each in enumerate(left) if fits(call, each)), None)
        if place is None:
            return False
        del left[place]
    return True


def _all_found(looked_for: Sequence[Call], among: Sequence[Call], fits: Fits) -> bool:
    # The published code compares what it looks through with what it looks for, whichever was made.
    return _all_taken(looked_for, among, lambda one, other: fits(other, one))


def _all_paired(made: Sequence[Call], wanted: Sequence[Call], fits: Fits) -> bool:
    return len(made) == len(wanted) and None not in pairs(made, wanted, fits)


def _calls(messages: Sequence[Message]) -> list[Call]:
    return [call for message in messages for call in message.calls or ()]
