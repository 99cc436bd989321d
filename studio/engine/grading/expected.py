"""What a case says was expected."""

import difflib
import math
from typing import Any

import msgspec

from studio.engine.grading.calls import read_call
from studio.engine.grading.fields import BadCase
from studio.engine.metrics.answers.base import GOLD, first_of, right_answers_in
from studio.engine.metrics.catalogue import READ_BY_METRICS
from studio.engine.records import Expected, JsonObject
from studio.engine.unfit import unfit

_TYPED = tuple(field for field in Expected.__struct_fields__ if field != "more")
_TEXTS = ("contains", "answers", "outputs")
_CHAIN = {
    "expected_tools": "required",
    "expected_trajectory": "required",
    "required_tools": "required",
    "forbidden_tools": "forbidden",
    "min_steps": "min_steps",
    "max_steps": "max_steps",
    "max_iterations": "max_iterations",
    "order": "order",
    "expected_outcome": "outcome",
}
"""What may stand in a case itself, and where in `expected: chain` it belongs."""
BESIDE = {
    "expected_calls": "calls",
    "expected_tool_calls": "calls",
    "reference_tool_calls": "calls",
    "contains": "contains",
    "must_contain": "contains",
    "expected_contains": "contains",
    "expected_substring": "contains",
    "number": "number",
    "expected_number": "number",
    "expected_value": "number",
    "unit": "unit",
    "expected_unit": "unit",
    "expected_pattern": "pattern",
}
"""The same for `expected` itself, which counts where it says something else."""


def read_expected(case: JsonObject) -> Expected:
    """What was expected: `expected` as a query states it, and what stands beside it."""
    stated = case.get("expected")
    right = case if stated is None or isinstance(stated, dict) else {"gold": stated}
    if stated is None:
        stated = {}
    if not isinstance(stated, dict):
        stated = _as_object(stated)
    for key in stated:
        if key not in _TYPED and key not in READ_BY_METRICS:
            close = difflib.get_close_matches(str(key), (*_TYPED, *READ_BY_METRICS), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise BadCase(f"expected has no {key!r:.60}{hint}")
    more = {key: value for key, value in stated.items() if key in READ_BY_METRICS}
    if not _CHAIN.keys().isdisjoint(case):
        chain = {own: case[key] for key, own in _CHAIN.items() if key in case}
        more["chain"] = {**chain, **(more.get("chain") or {})}
    if not BESIDE.keys().isdisjoint(case):
        beside = {own: case[key] for key, own in BESIDE.items() if case.get(key) is not None}
        stated = {**beside, **stated}
    stated = {**_of_right_answer(right), **stated}
    typed = {key: _typed(key, stated[key]) for key in _TYPED if stated.get(key) is not None}
    try:
        return msgspec.convert({**typed, "more": more}, Expected)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise BadCase(f"expected: {unfit(error)}") from None


def _as_object(stated: Any) -> JsonObject:
    """The plainest cases of all: the calls; or the right answer itself, read by another."""
    items = stated if isinstance(stated, list) else []
    if items and all(isinstance(item, dict) for item in items):
        return {"calls": items}
    is_number = isinstance(stated, int | float) and not isinstance(stated, bool)
    is_answer = is_number or isinstance(stated, str)
    if is_answer or (items and all(isinstance(item, str) for item in items)):
        return {}
    raise BadCase("expected must be an object, the right answer, or the calls")


def _of_right_answer(case: JsonObject) -> JsonObject:
    """What the right answer says to each metric that asks for answers, a number or a text.

    Of several right answers none need be the number or the text: one of them suffices.
    """
    if _GOLD.isdisjoint(case):
        return {}
    gold = first_of(case, GOLD)
    if isinstance(gold, list) and len(gold) == 1:
        [gold] = gold
    answers = _answers(case)
    number = None if isinstance(gold, bool) else _number(gold)
    if number is not None:
        return {**answers, "number": number, "outputs": [str(gold)]}
    is_text = isinstance(gold, str) and gold.strip()
    return {**answers, "contains": [gold], "outputs": [gold]} if is_text else answers


def _answers(case: JsonObject) -> JsonObject:
    """The right answers, as metrics of answers read them; what is none is another benchmark's."""
    try:
        return {"answers": right_answers_in(case)}
    except (ValueError, RecursionError):
        return {}


_GOLD = frozenset(GOLD)


def _number(value: Any) -> float | None:
    """The finite number that this is, or is the text of."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _typed(key: str, value: Any) -> Any:
    if key in _TEXTS and isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return value
    match key:
        case "calls":
            calls = (read_call(item, place) for place, item in enumerate(value))
            return [{"name": call.name, "arguments": call.arguments} for call in calls]
        case "instructions":
            return list(map(_instruction, value))
        case "documents" if all(isinstance(id, str | int) for id in value):
            return {str(id): 1.0 for id in value}
    return value


def _instruction(stated: Any) -> Any:
    """A rule as a query states it: its id, or its id and its arguments."""
    if isinstance(stated, str):
        return {"id": stated}
    if isinstance(stated, dict) and len(stated) == 1 and "id" not in stated:
        [(id, arguments)] = stated.items()
        return {"id": id, "arguments": arguments or {}}
    return stated
