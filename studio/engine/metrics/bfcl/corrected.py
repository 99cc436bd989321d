"""BFCL's question without the defects of its checker.

A value is right if it fits the type of its parameter and is one of the acceptable values, or if it
is exactly as one of these is written (so variables and expressions are).  What differs from the
published checker stands on the help page.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from studio.engine.metrics.bfcl import java, javascript
from studio.engine.metrics.bfcl.loose import is_same
from studio.engine.metrics.bfcl.published import Check, Kind, fault_of_arguments
from studio.engine.metrics.call_fault import (
    MULTIPLE,
    PARALLEL,
    SIMPLE,
    WRONG_NAME,
    Fault,
)
from studio.engine.metrics.cases import value_lists
from studio.engine.metrics.pairing import pairs

Object = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("string", "String", "char"), (str,)),
    **dict.fromkeys(("integer", "int", "byte", "short", "long", "Bigint"), (int,)),
    **dict.fromkeys(("float", "number", "double"), (int, float)),
    **dict.fromkeys(("boolean", "Boolean", "bool"), (bool,)),
    **dict.fromkeys(("array", "list", "tuple", "Array", "ArrayList", "Queue", "Stack"), (list,)),
    **dict.fromkeys(("dict", "object", "HashMap", "Hashtable"), (dict,)),
}
_CHECKERS: Mapping[Kind, str] = {"simple": SIMPLE, "multiple": MULTIPLE, "parallel": PARALLEL}


def fault_of_calls(
    kind: Kind, docs: Any, calls: Sequence[Object], answers: Sequence[Object], language: str
) -> Fault | None:
    """The first fault of the calls; None if they are right.  Parallel calls have no order."""
    described = {doc["name"]: doc for doc in docs}
    check = _CHECKS[language]
    if len(calls) != len(answers):
        return Fault(f"{_CHECKERS[kind]}:wrong_count", len(calls))
    if len(answers) == 1:
        return _fault(described, calls[0], answers[0], check)

    def fits(answer: Object, call: Object) -> bool:
        return _fault(described, call, answer, check) is None

    for answer, place in zip(answers, pairs(answers, calls, fits), strict=True):
        if place is None:
            return Fault(f"{PARALLEL}:cannot_find_match", next(iter(answer)))
    return None


def _fault(
    described: Mapping[str, Any], call: Object, answer: Object, check: Check
) -> Fault | None:
    [(name, stated)] = answer.items()
    wanted = value_lists(stated)
    written = name if name in call else name.replace(".", "_")
    if written not in call:
        return Fault(WRONG_NAME, name)
    parameters = described[name].get("parameters") or {}
    known, required = parameters.get("properties") or {}, parameters.get("required") or ()
    return fault_of_arguments(call[written], wanted, known, required, check)


def _value_fault(
    argument: str, value: Any, described: Object, answers: Sequence[Any]
) -> Fault | None:
    for answer in answers:
        if is_same(value, answer):
            return None
    if not _fits(value, described):
        return Fault("type_error:simple", argument, value)
    for answer in answers:
        if _is_acceptable(value, answer):
            return None
    return Fault("value_error:others", argument, value)


def _reading(read: Callable[..., Any], types: Mapping[str, type]) -> Check:
    """As `_value_fault`, where a text may be the source of a value of another type."""
    readable = types.keys() - _NEVER_READ

    def fault(argument: str, value: Any, described: Object, answers: Sequence[Any]) -> Fault | None:
        kind = described.get("type")
        if isinstance(value, str) and kind in readable and value not in answers:
            item_kind = (described.get("items") or {}).get("type")
            value = read(value, kind, item_kind, outside_quotes)
            if type(value) is list and item_kind == "String":
                value = [_without_quotes(item) for item in value]
        return _value_fault(argument, value, described, answers)

    return fault


_NEVER_READ = frozenset(("Set", "Hashtable", "Queue", "Stack"))
_CHECKS: Mapping[str, Check] = {
    "python": _value_fault,
    "java": _reading(java.read, java.TYPES),
    "javascript": _reading(javascript.read, javascript.TYPES),
}


def _fits(value: Any, described: Any) -> bool:
    """Whether the value is of the documented type, at any depth; an unknown type takes anything."""
    pending = [(value, described)]
    while pending:
        one, schema = pending.pop()
        if not isinstance(schema, dict):
            continue
        one = list(one) if type(one) is tuple else one
        if not _is_of_type(one, schema.get("type")):
            return False
        if type(one) is list:
            pending.extend((item, schema.get("items")) for item in one)
        elif type(one) is dict:
            inner = schema.get("properties")
            if isinstance(inner, dict):
                pending.extend((item, inner.get(key)) for key, item in one.items())
    return True


def _is_of_type(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return any(_is_of_type(value, each) for each in kind)
    wanted = _TYPES.get(kind) if isinstance(kind, str) else None
    return wanted is None or type(value) in wanted


def _is_acceptable(value: Any, answer: Any) -> bool:
    """Whether the value is the answer; in an answer that is an object each key has several."""
    if is_same(value, answer, is_loose=True):
        return True
    if isinstance(value, dict) and isinstance(answer, dict):
        return _is_acceptable_object(value, answer)
    if isinstance(value, list | tuple) and isinstance(answer, list):
        return len(value) == len(answer) and all(map(_is_acceptable, value, answer))
    return False


def _is_acceptable_object(value: Object, answer: Object) -> bool:
    for key, acceptable in answer.items():
        options = acceptable if isinstance(acceptable, list) else [acceptable]
        if key not in value:
            if "" not in options:
                return False
        elif not any(_is_acceptable(value[key], option) for option in options):
            return False
    return value.keys() <= answer.keys()


def _without_quotes(item: Any) -> Any:
    """The published reader leaves the texts of a Java array in their quotes: none is ever right."""
    is_quoted = isinstance(item, str) and len(item) > 1 and item[0] == item[-1] == '"'
    return item[1:-1] if is_quoted else item


def outside_quotes(text: str) -> Sequence[str]:
    """The elements of a list as source text, parted by the commas that stand in no quotes."""
    parts, begin, quote = [], 0, ""
    for place, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote and text[place - 1] != "\\" else quote
        elif mark in "\"'":
            quote = mark
        elif mark == ",":
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]
