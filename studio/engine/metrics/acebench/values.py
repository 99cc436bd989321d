"""How ACEBench compares texts, lists and objects with the expected ones, to the letter."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.bfcl.values import standardized
from studio.engine.metrics.call_fault import Fault


class Wanted(NamedTuple):
    """An expected argument; `is_exact`: whether a text must be equal, not only a part."""

    argument: str
    value: Any
    is_exact: bool = False


def _text(wanted: Wanted, value: str) -> Fault | None:
    given, expected = standardized(value), standardized(wanted.value)
    good = given == expected if wanted.is_exact else expected in given
    return None if good else Fault("value_error:string", wanted.argument, value)


def _items(wanted: Wanted, value: Sequence[Any]) -> Fault | None:
    good = _standardized(value) == _standardized(wanted.value)
    return None if good else Fault("value_error:list/tuple", wanted.argument, value)


def _standardized(items: Sequence[Any]) -> list[Any]:
    return [standardized(item) if type(item) is str else item for item in items]


def _object(wanted: Wanted, value: Any) -> Fault | None:
    expected: Mapping[str, Any] = wanted.value
    fault = Fault("value_error", wanted.argument, value)
    if not isinstance(value, dict) or len(value) != len(expected.keys()):
        return fault
    for key, item in value.items():
        if key not in expected:
            return fault
        if type(item) is str and item in ("true", "false"):
            item = item == "true"
        if isinstance(expected[key], dict):
            inner = _object(Wanted(f"{wanted.argument}.{key}", expected[key]), item)
            if inner is not None:
                return inner
        elif _plain(expected[key]) not in _plain(item):
            return fault
    return None


def _plain(value: Any) -> str:
    return standardized(value) if type(value) is str else str(value)


def _objects(wanted: Wanted, value: Sequence[Any]) -> Fault | None:
    if len(value) != len(wanted.value):
        return Fault("value_error:list_dict_count", wanted.argument, value)
    for item, expected in zip(value, wanted.value, strict=True):
        fault = _object(Wanted(wanted.argument, expected), item)
        if fault is not None:
            return fault
    return None


CHECKS: Mapping[Any, Callable[[Wanted, Any], Fault | None]] = {
    str: _text,
    list: _items,
    dict: _object,
    (list, dict): _objects,
}
