"""The tools that a project's `tools.py` offers, read from its source: nothing of it is run.

Every public function at the top level of the file is a tool.  Its annotations and defaults make
the JSON Schema of its arguments, its docstring the descriptions.
"""

import ast
import difflib
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studio.engine.errors import Problem
from studio.engine.records import Record, ToolSpec
from studio.engine.tools.annotations import Schema, UnknownType, schema_of
from studio.engine.tools.docstrings import read_docstring

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_TYPES = "Use str, int, float, bool, list, dict, Literal or None, or leave the annotation out."


class Signatures(Record, frozen=True):
    """The tools of a file in the order of the file, and all that is wrong with it."""

    tools: tuple[ToolSpec, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_signatures(path: Path) -> Signatures:
    """The tools of the Python file at `path`.  Raises nothing: what is wrong is a Problem."""
    try:
        tree = _parsed(path.read_bytes())
    except SyntaxError as error:
        problem = f"This is no valid Python: {error.msg}."
        return Signatures(problems=(Problem(path.name, error.lineno or 0, problem),))
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror or error}."
        return Signatures(problems=(Problem(path.name, 0, problem),))
    except (ValueError, RecursionError, MemoryError) as error:
        problem = f"This is no valid Python: {error}."
        return Signatures(problems=(Problem(path.name, 0, problem),))
    return _signatures(path.name, tree)


def _parsed(source: bytes) -> ast.Module:
    with warnings.catch_warnings():
        # Doubtful escapes in the user's strings are for the user's own linter.
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _signatures(file: str, tree: ast.Module) -> Signatures:
    tools: dict[str, ToolSpec] = {}
    problems: list[Problem] = []
    for node in tree.body:
        if not isinstance(node, _Function) or node.name.startswith("_"):
            continue
        if node.name in tools:
            problem = f"The tool '{node.name}' is defined a second time."
            problems.append(Problem(file, node.lineno, problem, "Rename or delete one of the two."))
        reader = _Reader(file, node)
        tools[node.name] = reader.tool()
        problems += reader.problems
    return Signatures(tuple(tools.values()), tuple(problems))


class _Reader:
    """Reads one function; collects what is wrong with it in `problems`."""

    def __init__(self, file: str, function: _Function) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._function = function
        self._documentation = read_docstring(ast.get_docstring(function, clean=False))

    def tool(self) -> ToolSpec:
        arguments = self._function.args
        parameters: Schema = {"type": "object", "properties": {}, "required": []}
        for argument, default in _with_defaults(arguments):
            parameters["properties"][argument.arg] = self._schema(argument, default)
            if default is None:
                parameters["required"].append(argument.arg)
        parameters["additionalProperties"] = arguments.kwarg is not None
        self._refuse_nameless(arguments)
        self._refuse_misspelt(parameters["properties"])
        return ToolSpec(self._function.name, self._documentation.summary, parameters)

    def _schema(self, argument: ast.arg, default: ast.expr | None) -> Schema:
        try:
            schema = schema_of(argument.annotation)
        except (UnknownType, RecursionError) as error:
            problem = f"The argument '{argument.arg}' of '{self._function.name}' is of a type "
            self._wrong(argument, f"{problem}that no model can give: {error}.", _TYPES)
            schema = {}
        if described := self._documentation.arguments.get(argument.arg):
            schema = schema | {"description": described}
        return schema | _default(default)

    def _refuse_nameless(self, arguments: ast.arguments) -> None:
        for argument in (*arguments.posonlyargs, *filter(None, [arguments.vararg])):
            problem = f"The argument '{argument.arg}' of '{self._function.name}' cannot be given"
            self._wrong(argument, f"{problem} by name, and models give arguments by name.")

    def _refuse_misspelt(self, arguments: Schema) -> None:
        """A description of no argument, beside an argument of nearly that name that has none.

        The model would not see it, and nothing would say so.
        """
        described = self._documentation.arguments
        bare = [name for name in arguments if name not in described]
        for name in described:
            if name not in arguments and (near := difflib.get_close_matches(name, bare, 1)):
                problem = f"The docstring of '{self._function.name}' describes '{name}', which is "
                self._wrong(self._function, f"{problem}no argument.", f"Did you mean {near[0]}?")

    def _wrong(self, node: ast.arg | _Function, problem: str, remedy: str = "") -> None:
        self.problems.append(Problem(self._file, node.lineno, problem, remedy))


def _with_defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    named = arguments.args
    # Positional-only arguments share the list of defaults, which fills up from the right.
    defaults = arguments.defaults[-len(named) :] if named else []
    required: list[ast.expr | None] = [None] * (len(named) - len(defaults))
    yield from zip(named, [*required, *defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _default(node: ast.expr | None) -> Schema:
    if node is None:
        return {}
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}
    return {"default": _listed(value)} if _is_json(value) else {}


def _is_json(value: Any) -> bool:
    match value:
        case None | bool() | str():
            return True
        case int():
            return -(2**63) <= value < 2**63
        case float():
            return math.isfinite(value)
        case list() | tuple():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return False


def _listed(value: Any) -> Any:
    """Tuples as the lists that they become in JSON."""
    match value:
        case list() | tuple():
            return [_listed(item) for item in value]
        case dict():
            return {key: _listed(item) for key, item in value.items()}
    return value
