"""BFCL's question without the defects of its checker.

A value is right if it fits the type of its parameter and is one of the acceptable values, or if it
is exactly as one of these is written (so variables and expressions are).  What differs from the
published checker stands on the help page.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.engine.metrics.bfcl import java, javascript
from studio.engine.metrics.bfcl.fault import SIMPLE, Fault
from studio.engine.metrics.bfcl.loose import is_same
from studio.engine.metrics.bfcl.published import MULTIPLE, PARALLEL
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
_READERS = {"java": (java.read, java.TYPES), "javascript": (javascript.read, javascript.TYPES)}


def fault_of_calls(
    category: str, docs: Any, calls: Sequence[Object], answers: Sequence[Object], language: str
) -> Fault | None:
    """The first fault of the calls; None if they are right.  Parallel calls have no order."""
    described = {doc["name"]: doc for doc in ([docs] if isinstance(docs, Mapping) else docs)}
    if len(calls) != len(answers):
        several = MULTIPLE if "multiple" in category else SIMPLE
        kind = PARALLEL if "parallel" in category else several
        return Fault(f"{kind}:wrong_count", value=len(calls))
    if len(answers) == 1:
        return _fault(described, calls[0], answers[0], language)

    def fits(answer: Object, call: Object) -> bool:
        return _fault(described, call, answer, language) is None

    for answer, place in zip(answers, pairs(answers, calls, fits), strict=True):
        if place is None:
            return Fault(f"{PARALLEL}:cannot_find_match", next(iter(answer)), list(calls))
    return None


def _fault(
    described: Mapping[str, Any], call: Object, answer: Object, language: str
) -> Fault | None:
    [(name, wanted)] = answer.items()
    written = name if name in call else name.replace(".", "_")
    if written not in call:
        return Fault(f"{SIMPLE}:wrong_func_name", name)
    made = call[written]
    parameters = described[name].get("parameters") or {}
    known = parameters.get("properties") or {}
    for argument in parameters.get("required") or ():
        if argument not in made:
            return Fault(f"{SIMPLE}:missing_required", argument)
    for argument, value in made.items():
        if argument not in known or argument not in wanted:
            return Fault(f"{SIMPLE}:unexpected_param", str(argument))
        fault = _value_fault(argument, value, known[argument], wanted[argument], language)
        if fault is not None:
            return fault
    left_out = (key for key in wanted if key not in made and "" not in wanted[key])
    return next((Fault(f"{SIMPLE}:missing_optional", key) for key in left_out), None)


def _value_fault(
    argument: str, value: Any, described: Object, answers: Sequence[Any], language: str
) -> Fault | None:
    if any(is_same(value, answer) for answer in answers):
        return None
    kind = described.get("type")
    if language in _READERS and isinstance(value, str):
        read, types = _READERS[language]
        if kind in types and kind not in ("Set", "Hashtable", "Queue", "Stack"):
            value = read(value, kind, (described.get("items") or {}).get("type"), outside_quotes)
    if not _fits(value, described):
        return Fault("type_error:simple", argument, value)
    if any(_is_acceptable(value, answer) for answer in answers):
        return None
    return Fault("value_error:others", argument, value)


def _fits(value: Any, described: Any) -> bool:
    """Whether the value is of the documented type, at any depth; an unknown type takes anything."""
    pending = [(value, described)]
    while pending:
        one, schema = pending.pop()
        if not isinstance(schema, Mapping):
            continue
        wanted = _TYPES.get(schema.get("type", ""))
        one = list(one) if type(one) is tuple else one
        if wanted is not None and type(one) not in wanted:
            return False
        if type(one) is list:
            pending.extend((item, schema.get("items")) for item in one)
        elif type(one) is dict:
            inner = schema.get("properties")
            if isinstance(inner, Mapping):
                pending.extend((item, inner.get(key)) for key, item in one.items())
    return True


def _is_acceptable(value: Any, answer: Any) -> bool:
    """Whether the value is the answer; in an answer that is an object each key has several."""
    if is_same(value, answer, is_loose=True):
        return True
    if isinstance(value, Mapping) and isinstance(answer, Mapping):
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
