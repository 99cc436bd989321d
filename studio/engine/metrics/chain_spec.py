"""What a good chain of calls looks like, as a query states it below `expected: chain`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, Protocol

import msgspec

from studio.engine.metrics.arguments import same_value, shown_call
from studio.engine.records import ExpectedCall, JsonObject, Query
from studio.engine.unfit import unfit

ADMISSIONS = (
    "can't", "cannot", "can not", "could not", "couldn't", "unable", "not able", "won't",
    "will not", "not allowed", "not permitted", "not possible", "impossible", "refuse",
    "don't have", "do not have", "no access", "no permission", "not authorized", "not available",
)  # fmt: skip
"""An answer with one of these (in any case) admits that the task was not done."""


_LONGEST = 1_000


class BadChain(ValueError):
    """What the query states of the chain cannot be read; says what is wrong."""


class Chain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`required` and `forbidden` are calls: a name, or a name and the arguments that it must have.

    Steps are tool calls.  `order` holds pairs: what stands first must come before the other.
    `outcome` is "success" or "graceful_failure"; `says` are the words by which a graceful failure
    is known, in place of ADMISSIONS.  `max_iterations` is what the cost score divides by.
    """

    required: tuple[ExpectedCall, ...] | None = None
    forbidden: tuple[ExpectedCall, ...] | None = None
    min_steps: int | None = None
    max_steps: int | None = None
    order: tuple[tuple[str, str], ...] | None = None
    outcome: Literal["success", "graceful_failure"] | None = None
    says: tuple[str, ...] = ADMISSIONS
    max_iterations: int | None = None


def chain_of(query: Query) -> Chain | None:
    """The chain that the query states; None if it states none.  Raises BadChain."""
    stated = query.expected.more.get("chain")
    if stated is None:
        return None
    if not isinstance(stated, Mapping):
        raise BadChain("chain must be an object")
    read = {key: value for key, value in stated.items() if value is not None}
    for key in ("required", "forbidden"):
        if key in read:
            read[key] = [_call(item) for item in _items(read[key], key)]
    if "order" in read:
        read["order"] = [pair for item in _items(read["order"], "order") for pair in _pairs(item)]
    if isinstance(read.get("outcome"), str):
        read["outcome"] = read["outcome"].lower().replace(" ", "_").replace("-", "_")
    try:
        return msgspec.convert(read, Chain)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadChain(f"chain: {unfit(error)}") from None


def _items(value: Any, key: str) -> Sequence[Any]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise BadChain(f"chain: {key} must be a list")
    if len(value) > _LONGEST:
        raise BadChain(f"chain: {key} has more than {_LONGEST:,} items")
    return value


def _call(item: Any) -> Any:
    if isinstance(item, str):
        return {"name": item}
    if isinstance(item, Mapping) and len(item) == 1 and "name" not in item:
        [(name, arguments)] = item.items()
        return {"name": name, "arguments": arguments or {}}
    return item


def _pairs(item: Any) -> list[tuple[Any, Any]]:
    """[a, b, c] says that a comes before b, and b before c."""
    if not isinstance(item, list | tuple) or len(item) < 2:
        raise BadChain("chain: order must hold lists of two names or more")
    return list(pairwise(item))


class AnyCall(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> JsonObject: ...


def is_made(wanted: ExpectedCall, call: AnyCall) -> bool:
    """Whether the call is the wanted one: the name, and each argument that is stated."""
    if wanted.name != call.name:
        return False
    made = call.arguments
    return all(key in made and same_value(made[key], v) for key, v in wanted.arguments.items())


def told(call: ExpectedCall) -> str:
    return shown_call(call.name, call.arguments) if call.arguments else call.name
