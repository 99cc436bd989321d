"""What a case says was expected."""

import difflib
from typing import Any

import msgspec

from studio.engine.grading.calls import read_call
from studio.engine.grading.fields import BadCase
from studio.engine.metrics.catalogue import READ_BY_METRICS
from studio.engine.records import Expected, JsonObject

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


def read_expected(case: JsonObject) -> Expected:
    """What was expected: `expected` as a query states it, and what stands beside it."""
    stated = case.get("expected")
    if stated is None:
        stated = {}
    if isinstance(stated, str | int | float) and not isinstance(stated, bool):
        # The plainest case of all: the right answer itself.
        stated = {"answers": [str(stated)]}
    if not isinstance(stated, dict):
        raise BadCase("expected must be an object, or the right answer")
    for key in stated:
        if key not in _TYPED and key not in READ_BY_METRICS:
            close = difflib.get_close_matches(str(key), (*_TYPED, *READ_BY_METRICS), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise BadCase(f"expected has no {key!r:.60}{hint}")
    more = {key: value for key, value in stated.items() if key in READ_BY_METRICS}
    chain = {own: case[key] for key, own in _CHAIN.items() if key in case}
    if chain:
        more["chain"] = {**chain, **(more.get("chain") or {})}
    typed = {key: _typed(key, stated[key]) for key in _TYPED if stated.get(key) is not None}
    try:
        return msgspec.convert({**typed, "more": more}, Expected)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise BadCase(f"expected: {error}") from None


def _typed(key: str, value: Any) -> Any:
    if key in _TEXTS and isinstance(value, str):
        return [value]
    if key == "calls" and isinstance(value, list):
        calls = (read_call(item, place) for place, item in enumerate(value))
        return [{"name": call.name, "arguments": call.arguments} for call in calls]
    return value
