"""BFCL's AST checker, to the letter of `bfcl_eval.eval_checker.ast_eval.ast_checker` (2026-03-23).

A documentation is `{"name", "parameters": {"properties", "required"}}`, a call `{name: {argument:
value}}`, an answer `{name: {argument: [acceptable values]}}`, where "" among the acceptable says
that the argument may be left out.  Where the published checker raises, so do these functions (and
they raise the same): whoever calls them has to expect any Exception.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from studio.engine.metrics.call_fault import (
    MISSING_OPTIONAL,
    MISSING_REQUIRED,
    MULTIPLE,
    PARALLEL,
    UNEXPECTED,
    WRONG_COUNT,
    WRONG_NAME,
    Fault,
)
from studio.engine.metrics.pairing import check_count

Object = Mapping[str, Any]
Kind = Literal["simple", "multiple", "parallel"]
Check = Callable[[str, Any, Object, Sequence[Any]], Fault | None]
"""The fault of a value: its name, the value, its documentation, the acceptable values."""


class Rules(msgspec.Struct, frozen=True):
    """How the values of a language are checked, and whether dots are written as underscores.

    Some interfaces take no dots in the names of functions, so models write underscores there.
    """

    check: Check
    underscores: bool = False


def fault_of_calls(
    kind: Kind, docs: Any, calls: Sequence[Object], answers: Sequence[Object], rules: Rules
) -> Fault | None:
    """The first fault of the calls; None if they are valid."""
    if kind == "simple":
        if len(calls) != 1:
            return Fault(WRONG_COUNT, len(calls))
        return _fault_of_call(docs[0], calls[0], answers[0], rules)
    if len(calls) != len(answers):
        return Fault(_WRONG_COUNTS[kind], len(calls))
    if kind == "parallel":
        return _fault_in_any_order(docs, calls, answers, rules)
    doc = _described(docs, next(iter(answers[0])))
    return _fault_of_call(doc, calls[0], answers[0], rules)


_WRONG_COUNTS = {"multiple": f"{MULTIPLE}:wrong_count", "parallel": f"{PARALLEL}:wrong_count"}


def _fault_in_any_order(
    docs: Any, calls: Sequence[Object], answers: Sequence[Object], rules: Rules
) -> Fault | None:
    check_count(answers, calls)
    left = list(calls)
    for answer in answers:
        name = next(iter(answer))
        doc = _described(docs, name)
        # Each answer takes the first call that fits, for good: what is left may not fit the rest.
        for place, call in enumerate(left):
            if _fault_of_call(doc, call, answer, rules) is None:
                del left[place]
                break
        else:
            return Fault(f"{PARALLEL}:cannot_find_match", name)
    return None


def _described(docs: Any, name: str) -> Any:
    if type(docs) is not list:
        return docs
    for doc in docs:
        if doc["name"] == name:
            return doc
    return None


def _fault_of_call(doc: Any, call: Object, answer: Object, rules: Rules) -> Fault | None:
    """The first fault of one call, checked against its documentation and the answer."""
    wanted = next(iter(answer.values()))
    name, parameters = doc["name"], doc["parameters"]
    known, required = parameters["properties"], parameters["required"]
    if "." in name and rules.underscores:
        name = name.replace(".", "_")
    if name not in call:
        return Fault(WRONG_NAME, name)
    return fault_of_arguments(call[name], wanted, known, required, rules.check)


def fault_of_arguments(
    made: Object, wanted: Object, known: Object, required: Iterable[str], check: Check
) -> Fault | None:
    """The first fault of the arguments of a call: left out, not expected, or of a value."""
    for argument in required:
        if argument not in made:
            return Fault(MISSING_REQUIRED, argument)
    for argument, value in made.items():
        if argument not in known or argument not in wanted:
            return Fault(UNEXPECTED, argument)
        fault = check(argument, value, known[argument], wanted[argument])
        if fault is not None:
            return fault
    for argument, acceptable in wanted.items():
        if argument not in made and "" not in acceptable:
            return Fault(MISSING_OPTIONAL, argument)
    return None
