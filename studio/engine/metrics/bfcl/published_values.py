"""How BFCL checks one value beside its type and the acceptable values, to the letter.

An acceptable value of another type than the documented one stands for a variable or an expression:
it is compared as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from studio.engine.metrics.bfcl.values import dict_fault, dicts_fault, list_fault, text_fault
from studio.engine.metrics.call_fault import Fault

Object = Mapping[str, Any]
Reader = Callable[[str, str, str | None], Any]
"""Turns the source text of a value into the value, given its type and the type of its items."""

_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}


def python_fault(
    argument: str, value: Any, described: Object, answers: Sequence[Any]
) -> Fault | None:
    """The fault of a value of a call in Python; None if it is acceptable."""
    kind = described["type"]
    wanted = _TYPES[kind]
    inner = None
    if wanted is list:
        inner = _TYPES[described["items"]["type"]]
        if kind == "tuple" and type(value) is tuple:
            value = list(value)
    elif wanted is float and type(value) is int:
        value = float(value)
    elif type(value) is not wanted:
        return _fault_of_another_type(argument, value, answers)
    elif wanted is not dict and type(answers) is list:
        # Most values are these, and neither types of answers nor standard forms matter to them.
        if value in answers:
            return None
        if wanted is not str:
            return Fault("value_error:others", argument, value)
    return _fault(argument, value, answers, wanted, inner)


def source_check(
    read: Reader, types: Mapping[str, type], lists: frozenset[str], error: str
) -> Callable[[str, Any, Object, Sequence[Any]], Fault | None]:
    """As `python_fault`, for a language whose values come as source text.

    `lists` are the types whose documentation says what their items are, `error` what is said of a
    value that is no text.
    """

    def fault(argument: str, value: Any, described: Object, answers: Sequence[Any]) -> Fault | None:
        kind = described["type"]
        wanted = types[kind]
        if type(value) is not str:
            return Fault(error, argument, value)
        item_kind = described["items"]["type"] if kind in lists else None
        inner = None if item_kind is None else types[item_kind]
        return _fault(argument, read(value, kind, item_kind), answers, wanted, inner)

    return fault


def _fault(
    argument: str, value: Any, answers: Sequence[Any], wanted: type, inner: type | None
) -> Fault | None:
    found = type(value)
    if found is not wanted:
        return _fault_of_another_type(argument, value, answers)
    written_as = _first_type(answers)
    if inner is not None and not _items_fit(value, answers, inner):
        nesting = "nested" if found is written_as else "simple"
        return Fault(f"type_error:{nesting}", argument, value)
    is_variable = written_as is not None and written_as is not wanted
    check = None if is_variable else _CHECKS.get((wanted, inner) if inner is dict else wanted)
    if check is not None:
        return check(argument, value, answers)
    return None if value in answers else Fault("value_error:others", argument, value)


def _fault_of_another_type(argument: str, value: Any, answers: Sequence[Any]) -> Fault | None:
    """Of a value that is not of the documented type: it may be a variable, as the answers are."""
    for answer in answers:
        if answer != "":
            if type(value) is not type(answer):
                break
            return None if value in answers else Fault("value_error:others", argument, value)
    return Fault("type_error:simple", argument, value)


_CHECKS: Mapping[Any, Callable[[str, Any, Sequence[Any]], Fault | None]] = {
    str: text_fault,
    list: list_fault,
    (list, dict): dicts_fault,
    dict: dict_fault,
}


def _first_type(answers: Sequence[Any]) -> type | None:
    for answer in answers:
        if answer != "":
            return type(answer)
    return None


def _items_fit(value: Sequence[Any], answers: Sequence[Any], inner: type) -> bool:
    """Whether the items fit one answer at least; an answer that is no list fits anything."""
    for answer in answers:
        if type(answer) is not list:
            return True
        written_as = _first_type(answer)
        for item in value:
            found = type(item)
            if found is not inner and found is not written_as:
                break
        else:
            return True
    return False
