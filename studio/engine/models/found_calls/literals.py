"""Python's literals as models write them, read from the syntax tree: nothing is evaluated."""

import ast
import math
import re
from typing import Any

MAX_SOURCE = 50_000
"""Characters.  A syntax tree takes a hundred times the memory of its source."""

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_KNOWN_ESCAPES = frozenset("\\'\"abfnrtvx01234567NuU\n")
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_TOKENS = re.compile(r"\\.|[\"'()\[\]{}]", re.DOTALL)


class NotLiteral(ValueError):
    """The expression does more than state a value."""


def parsed(source: str) -> list[ast.stmt] | None:
    """The statements of `source`; None if it is no Python, or too much of it."""
    if len(source) > MAX_SOURCE:
        return None
    try:
        # Unknown escapes are doubled, which is what Python makes of them, with a warning.
        return ast.parse(_ESCAPE.sub(_doubled, source)).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def read_literal(source: str) -> Any:
    """The value that `source` states.  Raises NotLiteral."""
    match parsed(source.strip()):
        case [ast.Expr(value=node)]:
            try:
                return literal(node)
            except RecursionError as error:
                raise NotLiteral("nested too deeply") from error
    raise NotLiteral(source[:50])


def literal(node: ast.expr) -> Any:
    """The JSON value of a literal expression; sets and tuples are lists.  Raises NotLiteral."""
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.UnaryOp(op=ast.UAdd(), operand=ast.Constant(value=int() | float() as value)):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [literal(part) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): literal(value) for key, value in zip(keys, values, strict=True)}
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
    raise NotLiteral(type(node).__name__)


def closed(source: str) -> str:
    """`source` with the quotes and brackets closed that are open at its end, unless it is long."""
    if len(source) > MAX_SOURCE:
        return source
    quote = ""
    open_brackets: list[str] = []
    for match in _TOKENS.finditer(source):
        token = match[0]
        if quote:
            quote = "" if token == quote else quote
        elif token in "\"'":
            quote = token
        elif token in _CLOSERS:
            open_brackets.append(_CLOSERS[token])
        elif open_brackets and token == open_brackets[-1]:
            open_brackets.pop()
    return source + quote + "".join(reversed(open_brackets))


def _key(node: ast.expr | None) -> str:
    key = literal(node) if node is not None else None
    if isinstance(key, str):
        return key
    if isinstance(key, bool) or not isinstance(key, int | float) or not math.isfinite(key):
        raise NotLiteral("key")
    return str(key)


def _doubled(match: re.Match[str]) -> str:
    return match[0] if match[1] in _KNOWN_ESCAPES else "\\" + match[0]
