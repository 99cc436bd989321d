"""BFCL's AST checker, to the letter of `bfcl_eval.eval_checker.ast_eval.ast_checker` (2026-03-23).

A documentation is `{"name", "parameters": {"properties", "required"}}`, a call `{name: {argument:
value}}`, an answer `{name: {argument: [acceptable values]}}`, where "" among the acceptable says
that the argument may be left out.  Where the published checker raises, so do these functions (and
they raise the same): whoever calls them has to expect any Exception.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.bfcl.fault import SIMPLE, Fault
from studio.engine.metrics.bfcl.values import dict_fault, dicts_fault, list_fault, text_fault

PARALLEL = "parallel_function_checker_no_order"
MULTIPLE = "multiple_function_checker"

Object = Mapping[str, Any]
Reader = Callable[[str, str, str | None], Any]
"""Turns the source text of a value into the value, given its type and the type of its items."""


class Language(NamedTuple):
    """How the types of a language are checked; `read` where values come as source text."""

    types: Mapping[str, type]
    lists: frozenset[str]
    read: Reader | None = None
    error: str = ""


PYTHON = Language(
    {
        "string": str,
        "integer": int,
        "float": float,
        "boolean": bool,
        "array": list,
        "tuple": list,
        "dict": dict,
        "any": str,
    },
    frozenset(("array", "tuple")),
)


class Rules(NamedTuple):
    """`underscores`: whether the model writes the dots in the names of functions as underscores."""

    language: Language = PYTHON
    underscores: bool = False


def fault_of_calls(
    category: str, docs: Any, calls: Sequence[Object], answers: Sequence[Object], rules: Rules
) -> Fault | None:
    """The first fault of the calls, checked as the name of the category says; None if valid."""
    if "parallel" in category:
        return _fault_in_any_order(docs, calls, answers, rules)
    if "multiple" in category:
        if len(calls) != len(answers):
            return Fault(f"{MULTIPLE}:wrong_count", value=len(calls))
        doc = _described(docs, next(iter(answers[0])))
        return fault_of_call(doc, calls[0], answers[0], rules)
    if len(calls) != 1:
        return Fault(f"{SIMPLE}:wrong_count", value=len(calls))
    return fault_of_call(docs[0], calls[0], answers[0], rules)


def _fault_in_any_order(
    docs: Any, calls: Sequence[Object], answers: Sequence[Object], rules: Rules
) -> Fault | None:
    if len(calls) != len(answers):
        return Fault(f"{PARALLEL}:wrong_count", value=len(calls))
    left = list(calls)
    for answer in answers:
        name = next(iter(answer))
        doc = _described(docs, name)
        # Each answer takes the first call that fits, for good: what is left may not fit the rest.
        for place, call in enumerate(left):
            if fault_of_call(doc, call, answer, rules) is None:
                del left[place]
                break
        else:
            return Fault(f"{PARALLEL}:cannot_find_match", name, [*left])
    return None


def _described(docs: Any, name: str) -> Any:
    if type(docs) is not list:
        return docs
    return next((doc for doc in docs if doc["name"] == name), None)


def fault_of_call(doc: Any, call: Object, answer: Object, rules: Rules) -> Fault | None:
    """The first fault of one call, checked against its documentation and the answer."""
    wanted = next(iter(answer.values()))
    name = doc["name"]
    parameters = doc["parameters"]
    known = parameters["properties"]
    required = parameters["required"]
    if rules.underscores and "." in name:
        name = name.replace(".", "_")
    if name not in call:
        return Fault(f"{SIMPLE}:wrong_func_name", name)
    made = call[name]
    missing = _missing(required, made)
    if missing is not None:
        return missing
    for argument, value in made.items():
        if argument not in known or argument not in wanted:
            return Fault(f"{SIMPLE}:unexpected_param", argument)
        fault = _fault_of_value(argument, value, known[argument], wanted[argument], rules.language)
        if fault is not None:
            return fault
    return _left_out(wanted, made)


def _missing(required: Sequence[str], made: Object) -> Fault | None:
    for argument in required:
        if argument not in made:
            return Fault(f"{SIMPLE}:missing_required", argument)
    return None


def _left_out(wanted: Object, made: Object) -> Fault | None:
    for argument, acceptable in wanted.items():
        if argument not in made and "" not in acceptable:
            return Fault(f"{SIMPLE}:missing_optional", argument)
    return None


def _fault_of_value(
    argument: str, value: Any, described: Object, answers: Sequence[Any], language: Language
) -> Fault | None:
    kind = described["type"]
    wanted = language.types[kind]
    if language.read is not None and type(value) is not str:
        return Fault(language.error, argument, value)
    inner = None
    item_kind = None
    if kind in language.lists:
        item_kind = described["items"]["type"]
        inner = language.types[item_kind]
    if language.read is not None:
        value = language.read(value, kind, item_kind)
    elif type(value) is int and kind == "float":
        value = float(value)
    if kind == "tuple" and type(value) is tuple:
        value = list(value)
    return _fault_of_typed(argument, value, answers, wanted, inner)


def _fault_of_typed(
    argument: str, value: Any, answers: Sequence[Any], wanted: type, inner: type | None
) -> Fault | None:
    # An answer of another type than the documented one stands for a variable or an expression.
    written_as = _first_type(answers)
    is_variable = written_as is not None and written_as is not wanted
    found = type(value)
    if found is not wanted:
        if written_as is None or found is not written_as:
            return Fault("type_error:simple", argument, value)
        is_variable = True
    elif inner is not None and not _items_fit(value, answers, inner):
        kind = "nested" if found is written_as else "simple"
        return Fault(f"type_error:{kind}", argument, value)
    check = None if is_variable else _CHECKS.get((wanted, inner) if inner is dict else wanted)
    if check is not None:
        return check(argument, value, answers)
    return None if value in answers else Fault("value_error:others", argument, value)


_CHECKS: Mapping[Any, Callable[[str, Any, Sequence[Any]], Fault | None]] = {
    str: text_fault,
    list: list_fault,
    (list, dict): dicts_fault,
    dict: dict_fault,
}


def _first_type(answers: Sequence[Any]) -> type | None:
    return next((type(answer) for answer in answers if answer != ""), None)


def _items_fit(value: Sequence[Any], answers: Sequence[Any], inner: type) -> bool:
    """Whether the items fit one answer at least; an answer that is no list fits anything."""
    for answer in answers:
        if type(answer) is not list:
            return True
        fitting = (inner, _first_type(answer))
        if all(type(item) in fitting for item in value):
            return True
    return False
