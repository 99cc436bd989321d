"""Makes cases in the shapes of BFCL and ACEBench."""

from typing import Any

from studio.engine.metrics import Verdict
from studio.engine.metrics.acebench import AceBenchNormal
from studio.engine.metrics.bfcl import BfclAst

Arguments = dict[str, Any]


def function(name: str, properties: Arguments, required: tuple[str, ...] = ()) -> Arguments:
    known = {
        key: {"type": kind} if isinstance(kind, str) else kind for key, kind in properties.items()
    }
    return {
        "name": name,
        "parameters": {"type": "dict", "properties": known, "required": list(required)},
    }


def bfcl(case: Arguments, mode: str = "published", **settings: Any) -> Verdict:
    return BfclAst(mode=mode, **settings).verdict_on(case)


def bfcl_value(kind: Any, acceptable: list[Any], value: Any, **more: Any) -> Arguments:
    """A case of one call with one argument; the argument is required."""
    return {
        "category": "simple_python",
        "function": [function("f", {"a": kind}, ("a",))],
        "ground_truth": [{"f": {"a": acceptable}}],
        "result": [{"f": {"a": value}}],
        **more,
    }


def acebench(case: Arguments, mode: str = "published") -> Verdict:
    return AceBenchNormal(mode=mode).verdict_on(case)


def acebench_value(kind: Any, wanted: Any, value: Any, **more: Any) -> Arguments:
    return {
        "category": "normal_atom",
        "function": [function("f", {"a": kind}, ("a",))],
        "ground_truth": {"f": {"a": wanted}},
        "result": [{"f": {"a": value}}],
        **more,
    }


def outcome(verdict: Verdict) -> float | str | None:
    """1 if right, the published type of the error if wrong, None if not scored."""
    return verdict.evidence["error_type"] if verdict.value == 0.0 else verdict.value
