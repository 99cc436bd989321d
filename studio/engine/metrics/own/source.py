"""The metrics that a project's `metrics.py` offers, read from its source: nothing of it is run.

Every public function at the top level whose parameters begin with `query, trace` is a metric; its
docstring says what it asks.  Other functions are the metrics' own affair.
"""

import ast
import warnings
from collections.abc import Iterator

from studio.engine.errors import Problem
from studio.engine.metrics.own.code import FILE, digest
from studio.engine.records import OwnMetric, Record

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_GIVEN = ["query", "trace"]


class Metrics(Record, frozen=True):
    """The metrics of a file in the order of the file, and all that is wrong with it."""

    metrics: tuple[OwnMetric, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_metrics(text: str) -> Metrics:
    """The metrics of a `metrics.py` with this text.  Raises nothing: what is wrong is a Problem."""
    try:
        with warnings.catch_warnings():
            # Doubtful escapes in the user's strings are for the user's own linter.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        problem = f"This is no valid Python: {error.msg}."
        return Metrics(problems=(Problem(FILE, error.lineno or 0, problem),))
    except (ValueError, RecursionError, MemoryError) as error:
        return Metrics(problems=(Problem(FILE, 0, f"This is no valid Python: {error}."),))
    version = digest(text.encode())
    found: dict[str, OwnMetric] = {}
    problems: list[Problem] = []
    for node in tree.body:
        if not isinstance(node, _Function) or node.name.startswith("_") or not _is_meant(node):
            continue
        problems += [Problem(FILE, node.lineno, *words) for words in _mistakes(node, found)]
        description = ast.get_docstring(node) or ""
        found[node.name] = OwnMetric(node.name, description, version)
    return Metrics(tuple(found.values()), tuple(problems))


def _is_meant(function: _Function) -> bool:
    """Whether it is meant as a metric: one of the two words is among its first two parameters."""
    return bool(set(_names(function)[:2]) & set(_GIVEN))


def _names(function: _Function) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


def _mistakes(function: _Function, known: dict[str, OwnMetric]) -> Iterator[tuple[str, str]]:
    name = function.name
    if name in known:
        yield f"The metric {name!r} is defined a second time.", "Rename or delete one of the two."
    if isinstance(function, ast.AsyncFunctionDef):
        yield f"The metric {name!r} is a coroutine.", "Write def in place of async def."
    if _names(function)[:2] != _GIVEN:
        yield (
            f"The parameters of the metric {name!r} must begin with query, trace.",
            "Begin its name with _ if it is no metric.",
        )
    elif _asks_for_more(function):
        yield (
            f"The metric {name!r} is given a query and a trace only.",
            "Give its other parameters a default.",
        )
    if not any(_returns(statement) for statement in function.body):
        yield f"The metric {name!r} returns nothing.", "Return a number, or None and a reason."


def _asks_for_more(function: _Function) -> bool:
    arguments = function.args
    without_default = len(_names(function)) - len(arguments.defaults)
    return without_default > len(_GIVEN) or None in arguments.kw_defaults


def _returns(node: ast.AST) -> bool:
    """Whether the statement, functions inside it aside, may return a value, or raises."""
    if isinstance(node, ast.Return):
        return node.value is not None
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, _Function | ast.ClassDef | ast.Lambda):
        return False
    return any(_returns(child) for child in ast.iter_child_nodes(node))
