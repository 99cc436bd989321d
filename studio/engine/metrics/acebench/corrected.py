"""ACEBench's question without the defects of its checker.

Each expected call has a call of its own; every argument must be of its type and have the expected
value: numbers and truth values too, texts as a whole (without blanks and `,./-_*^`, in lower case).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from studio.engine.metrics.acebench.published import TYPES
from studio.engine.metrics.bfcl.loose import is_same
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.pairing import pairs

Object = Mapping[str, Any]
_NUMBER_BEHIND = re.compile(r"_\d+$")
_LOOSE = {"number": (int, float), "float": (int, float), "enum": None, "any": None}


def fault_of_calls(docs: Any, calls: Sequence[Object], answer: Object) -> Fault | None:
    """The first fault of the calls beside one answer; None if they are right."""
    described = {doc["name"]: doc for doc in ([docs] if isinstance(docs, Mapping) else docs)}
    if len(calls) != len(answer):
        return Fault("wrong functions number")
    expected = [(_name(name, described), value) for name, value in answer.items()]
    made = [next(iter(call.items())) for call in calls]
    if sorted(name for name, _ in expected) != sorted(name for name, _ in made):
        return Fault("function_mismatch")

    def fault(wanted: tuple[str, Any], call: tuple[str, Any]) -> Fault | None:
        if wanted[0] != call[0]:
            return Fault("simple_function_checker:unclear")
        return _fault(described.get(wanted[0]) or {}, call[1], wanted[1])

    if len(expected) == 1:
        return fault(expected[0], made[0])
    places = pairs(expected, made, lambda wanted, call: fault(wanted, call) is None)
    return Fault("simple_function_checker:unclear") if None in places else None


def _name(name: str, described: Mapping[str, Any]) -> str:
    return name if name in described else _NUMBER_BEHIND.sub("", name)


def _fault(doc: Object, made: Any, wanted: Object) -> Fault | None:
    if not isinstance(made, Mapping):
        return Fault("wrong_param", value=made)
    known = (doc.get("parameters") or {}).get("properties") or {}
    for argument, value in wanted.items():
        if argument not in made:
            return Fault("lack_args", argument)
        if is_same(made[argument], value):
            continue
        if not _is_of_type(made[argument], known.get(argument)):
            return Fault("type_error", argument, made[argument])
        if not is_same(made[argument], value, is_loose=True):
            return Fault("value_error", argument, made[argument])
    extra = (argument for argument in made if argument not in wanted)
    return next((Fault("addition_args", str(argument)) for argument in extra), None)


def _is_of_type(value: Any, described: Any) -> bool:
    kind = described.get("type") if isinstance(described, Mapping) else None
    if kind in _LOOSE:
        allowed = _LOOSE[kind]
        return allowed is None or type(value) in allowed
    return not isinstance(kind, str) or kind not in TYPES or type(value) is TYPES[kind]
