"""ACEBench's `normal_checker`, to the letter (October 2025).

A documentation is as BFCL's, a call `{name: {argument: value}}`, an answer an object of expected
calls `{name: {argument: value}}`, in which a name that comes more than once has a number behind it
(`f_1`, `f_2`).  Where the published checker raises, so do these functions.

Its defects are kept: numbers and truth values are not compared, an expected text need only be a
part of the given one, and one call may stand for several expected ones.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.acebench.values import CHECKS, Wanted
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.pairing import check_count

Object = Mapping[str, Any]

TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
    "list": list,
    "object": dict,
    "objectArray": list,
    "list(string)": list,
    "list(enum)": list,
    "int": int,
    "enum": enumerate,
    "number": int,
}
_WITH_ITEMS = ("array", "tuple", "list(string)", "list(enum)", "object", "objectArray")
_NUMBER_BEHIND = re.compile(r"_\d+$")


def fault_of_calls(
    docs: Any, calls: Sequence[Object], answer: Object, *, is_exact: bool
) -> Fault | None:
    """The first fault of the calls beside one answer; None if they are right.

    `is_exact`: whether texts must be equal, as in the agent categories.
    """
    if len(calls) != len(answer):
        return Fault("wrong functions number")
    expected = [(_NUMBER_BEHIND.sub("", name), name, value) for name, value in answer.items()]
    made = Counter(name for call in calls for name in call)
    wanted = Counter(name for name, _, _ in expected)
    if made != wanted:
        return Fault("function_mismatch")
    check_count(expected, calls)
    for name, numbered, value in expected:
        namesakes = _Expected(name, value, _described(docs, numbered), is_exact)
        fault = _fault_of_expected(namesakes, calls)
        if fault is not None:
            return fault
    return None


def _described(docs: Any, name: str) -> Any:
    if type(docs) is not list:
        return docs
    # Any function whose name is a part of the expected one is taken for it.
    return next((doc for doc in docs if doc["name"] in name), None)


class _Expected(NamedTuple):
    name: str
    arguments: Object
    doc: Any
    is_exact: bool


def _fault_of_expected(expected: _Expected, calls: Sequence[Object]) -> Fault | None:
    fault: Fault | None = None
    for call in calls:
        if next(iter(call)) != expected.name:
            fault = Fault("simple_function_checker:unclear")
            continue
        fault = _fault_of_call(expected, call)
        if fault is None:
            return None
    return fault


def _fault_of_call(expected: _Expected, call: Object) -> Fault | None:
    name, parameters = expected.doc["name"], expected.doc["parameters"]
    given = next(iter(call.values()))
    if given == {} or parameters == {}:
        return None if given == parameters == {} else Fault("wrong_param")
    if expected.arguments == parameters["properties"]:
        return None
    if expected.arguments == {}:
        return Fault("wrong_param")
    if name not in call:
        return Fault("wrong_function_name", name)
    for argument in parameters["required"]:
        if argument not in call[name]:
            return Fault("lack_args", argument)
    return _fault_of_arguments(expected, call[name], parameters["properties"])


def _fault_of_arguments(expected: _Expected, made: Object, known: Object) -> Fault | None:
    for argument, value in made.items():
        if argument not in known or argument not in expected.arguments:
            return Fault("addition_args", argument)
        wanted = Wanted(argument, expected.arguments[argument], expected.is_exact)
        fault = _fault_of_value(wanted, value, known[argument])
        if fault is not None:
            return fault
    return None


def _fault_of_value(wanted: Wanted, value: Any, described: Object) -> Fault | None:
    kind = described["type"]
    expected = TYPES[kind]
    inner = TYPES[_kind_of_items(described)] if kind in _WITH_ITEMS else None
    if kind == "tuple" and type(value) is tuple:
        value = list(value)
    if kind == "float" and type(value) is int:
        value = float(value)
    fits, is_variable = _fits(value, wanted.value, expected, inner)
    if not fits:
        return Fault("type_error", wanted.argument, value)
    if is_variable:
        return None
    if kind == "objectArray" and inner is dict:
        if len(value) != len(wanted.value):
            return Fault("value_error:dict_items", wanted.argument, value)
        _fail_as_published(value)
    check = CHECKS.get((list, dict) if expected is list and inner is dict else expected)
    return None if check is None else check(wanted, value)


def _fail_as_published(value: Sequence[Any]) -> None:
    if value:
        raise TypeError("dict_checker() missing 1 required positional argument: 'func_name'")


def _kind_of_items(described: Object) -> str:
    try:
        kind: str = described["items"]["type"]
    except (KeyError, TypeError):
        if "string" in described["type"]:
            return "string"
        return "enum" if "enum" in described["type"] else "dict"
    return kind


def _fits(value: Any, wanted: Any, expected: type, inner: type | None) -> tuple[bool, bool]:
    """Whether the type is right, and whether the value passes for a variable."""
    written_as = None if wanted == "" else type(wanted)
    if value in ("true", "false") and type(value) is str:
        value = value == "true"
    fits = True
    found = type(value)
    if found is expected:
        if inner is None or _items_fit(value, wanted, inner):
            return True, written_as is not None and written_as is not expected
        fits = False
    if written_as is not None and (found is written_as or wanted == value):
        return fits, True
    return False, False


def _items_fit(value: Sequence[Any], wanted: Any, inner: type) -> bool:
    for answer in wanted:
        if type(answer) is not list:
            return True
        if all(_fits(item, answer, inner, None)[0] for item in value):
            return True
    return False
