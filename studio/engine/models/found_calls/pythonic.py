"""Calls written as Python: `[get_weather(city="Oslo")]`, one or several, in print() or not."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from studio.engine.models.found_calls.arguments import NoArguments, arguments_of, positional
from studio.engine.models.found_calls.literals import NotLiteral, closed, literal, parsed
from studio.engine.models.found_calls.values import Candidate, Tools

_BEGINNING = re.compile(r"[\[(\s]*[A-Za-z_][\w.]{0,127}\s?(?:\(|=\s?[\w.]{1,128}\()")


class _NoCall(ValueError):
    pass


def pythonic_calls(
    text: str, tools: Tools, *, known_only: bool, is_code: bool = False
) -> list[Candidate]:
    """The calls that `text` is made of; none if it holds anything else.

    `known_only` refuses tools that do not exist; `is_code` allows to assign what a call gives.
    """
    text = text.strip()
    if not _BEGINNING.match(text):
        return []
    body = parsed(text)
    was_open = body is None
    if body is None:
        body = parsed(closed(text))
    if body is None:
        return []
    try:
        calls = [
            _candidate(node, tools, known_only=known_only)
            for statement in body
            if not (is_code and _is_echo(statement))
            for node in _calls(_expression(statement, is_code=is_code))
        ]
    except (NotLiteral, NoArguments, _NoCall, RecursionError):
        return []
    return [call._replace(repaired=call.repaired or was_open) for call in calls]


def _expression(statement: ast.stmt, *, is_code: bool) -> ast.expr:
    match statement:
        case ast.Expr(value=value):
            return value
        case ast.Assign(value=value) if is_code:
            return value
    raise _NoCall


def _is_echo(statement: ast.stmt) -> bool:
    """Whether the statement only prints a variable."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Name()])):
            return True
    return False


def _calls(node: ast.expr) -> Iterator[ast.Call]:
    match node:
        case ast.Call(func=ast.Name(id="print"), args=[inner]):
            yield from _calls(inner)
        case ast.Call():
            yield node
        case ast.Await(value=inner):
            yield from _calls(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _calls(part)
        case _:
            raise _NoCall


def _candidate(node: ast.Call, tools: Tools, *, known_only: bool) -> Candidate:
    written = _dotted(node.func)
    name = tools.name(written) or tools.name(written.rpartition(".")[2])
    if name is None and (known_only or node.args):
        raise _NoCall
    keywords, is_guess = _keywords(node)
    match [literal(argument) for argument in node.args]:
        case []:
            return _checked(keywords, name or written, tools, is_guess=is_guess)
        case [dict() as only] if not keywords:
            return _checked(only, name or written, tools, is_guess=True)
        case values:
            assert name is not None
            given = positional(values, name, tools) | keywords
            return _checked(given, name, tools, is_guess=True)


def _checked(given: dict[str, Any], name: str, tools: Tools, *, is_guess: bool) -> Candidate:
    call = arguments_of(given, name, tools)
    return call._replace(repaired=call.repaired or is_guess)


def _keywords(node: ast.Call) -> tuple[dict[str, Any], bool]:
    given: dict[str, Any] = {}
    is_guess = False
    for keyword in node.keywords:
        if keyword.arg is None:
            spread = literal(keyword.value)
            if not isinstance(spread, dict):
                raise NotLiteral("**")
            given |= spread
        elif isinstance(keyword.value, ast.Name) and keyword.value.id not in _WORDS:
            # A word without quotes can only have been meant as text.
            given[keyword.arg] = keyword.value.id
            is_guess = True
        else:
            given[keyword.arg] = literal(keyword.value)
    return given, is_guess


_WORDS = frozenset({"true", "false", "null", "none"})


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{_dotted(value)}.{name}"
    raise _NoCall
