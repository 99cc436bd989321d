"""Reads tool calls that stand in a text as Python, `[f(a=1), g(b=[2])]`, without running any of it.

The published decoders of BFCL and ACEBench hand some expressions to `eval`; here arithmetic and
joining of constants is worked out, and anything else raises `NotCarriedOut`.  Otherwise what they
make of a text is kept: names become texts, positional arguments are dropped, a sign of any kind
negates.
"""

import ast
import builtins
import math
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

LONGEST = 200_000
"""Characters; a longer text is not read."""
_MOST_DIGITS = 4_000
_LONGEST_JOINED = 100_000
_WARNINGS = threading.Lock()

Object = dict[Any, Any]


class Unreadable(ValueError):
    """The text holds no calls that the published decoder could read."""


class NotCarriedOut(Exception):
    """The published decoder would run a part of the text, or the text is too large to be read."""


def read_calls(text: str, *, keeps_source: bool = True) -> list[Object]:
    """The calls as `{name: {argument: value}}`.

    `keeps_source`: whether a call without keyword arguments that is itself a value stays source
    text (BFCL) or becomes `{name: {}}` (ACEBench).  Raises Unreadable and NotCarriedOut.
    """
    if len(text) > LONGEST:
        raise NotCarriedOut(f"the text is longer than {LONGEST:,} characters")
    reader = _Reader(keeps_source=keeps_source)
    try:
        return reader.calls(_parsed(text))
    except (SyntaxError, ValueError, TypeError, AttributeError) as error:
        raise Unreadable(str(error)) from error
    except (RecursionError, MemoryError) as error:
        raise NotCarriedOut("the text is nested too deeply") from error


def _parsed(text: str) -> ast.expr:
    # Python warns of escapes and numbers that it will refuse one day; the text is not ours.
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval").body


class _Reader:
    def __init__(self, *, keeps_source: bool) -> None:
        self._keeps_source = keeps_source

    def calls(self, body: ast.expr) -> list[Object]:
        if self._keeps_source and isinstance(body, ast.Call):
            return [self._call(body)]
        if not isinstance(body, ast.List | ast.Tuple | ast.Set):
            raise Unreadable("this is no list")
        calls = [each for each in body.elts if isinstance(each, ast.Call)]
        if len(calls) < len(body.elts):
            raise Unreadable("not every element is a call")
        read = self._call if self._keeps_source else self._inner_call
        return [read(each) for each in calls]

    def _call(self, node: ast.Call) -> Object:
        return {_name(node.func): {each.arg: self._value(each.value) for each in node.keywords}}

    def _inner_call(self, node: ast.Call) -> Any:
        if node.keywords:
            return self._call(node)
        return ast.unparse(node) if self._keeps_source else {_name(node.func): {}}

    def _value(self, node: ast.expr | None) -> Any:
        match node:
            case ast.Constant() | ast.UnaryOp():
                return _constant(node)
            case ast.List(elements):
                return [self._value(each) for each in elements]
            case ast.Tuple(elements):
                return tuple(self._value(each) for each in elements)
            case ast.Dict(keys, values):
                pairs = zip(keys, values, strict=True)
                return {self._value(key): self._value(value) for key, value in pairs}
            case ast.Call():
                return self._inner_call(node)
            case _:
                return _expression(node)


def _name(node: ast.expr) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _constant(node: ast.Constant | ast.UnaryOp) -> Any:
    if isinstance(node, ast.Constant):
        return "..." if node.value is Ellipsis else node.value
    if not isinstance(node.operand, ast.Constant):
        raise Unreadable("a sign before what is no constant")
    return -node.operand.value  # type: ignore[operator]  # a TypeError says it is unreadable


def _expression(node: ast.expr | None) -> Any:
    match node:
        case ast.BinOp():
            return _worked_out(node)
        case ast.Name(name):
            return name
        case ast.Subscript(value, place):
            return f"{ast.unparse(value)}[{ast.unparse(place)}]"
        case _:
            raise Unreadable(f"{type(node).__name__} is no value")


def _worked_out(node: ast.expr) -> Any:
    """The value of an expression of constants, signs and the operators of arithmetic."""
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            return -_worked_out(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return +_worked_out(operand)
        case ast.List(elements):
            return [_worked_out(each) for each in elements]
        case ast.Tuple(elements):
            return tuple(_worked_out(each) for each in elements)
        case ast.BinOp(left, operator, right):
            return _operated(type(operator), _worked_out(left), _worked_out(right))
        case _:
            names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            if any(not hasattr(builtins, name) for name in names):
                raise Unreadable("a name in it is not defined")
            raise NotCarriedOut(f"{ast.unparse(node)[:60]!r} would have to be run")


def _operated(operator: type[ast.operator], left: Any, right: Any) -> Any:
    carry_out = _OPERATORS.get(operator)
    if carry_out is None:
        raise NotCarriedOut(f"{operator.__name__} would have to be run")
    try:
        return carry_out(left, right)
    except ArithmeticError as error:
        raise Unreadable(str(error)) from error


def _sum(left: Any, right: Any) -> Any:
    _refuse(_length(left) + _length(right) > _LONGEST_JOINED)
    return left + right


def _product(left: Any, right: Any) -> Any:
    _refuse(_digits(left) + _digits(right) > _MOST_DIGITS)
    for times, repeated in ((left, right), (right, left)):
        _refuse(isinstance(times, int) and abs(times) * _length(repeated) > _LONGEST_JOINED)
    return left * right


def _power(left: Any, right: Any) -> Any:
    _refuse(isinstance(right, int) and _digits(left) * abs(right) > _MOST_DIGITS)
    return left**right


def _refuse(is_too_large: bool) -> None:  # noqa: FBT001 - the word for it is in the name
    if is_too_large:
        raise NotCarriedOut("the result would be too large")


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | bytes | list | tuple) else 0


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str | bytes):
        raise NotCarriedOut("formatting would have to be run")
    return left % right


def _digits(value: Any) -> float:
    return math.log10(abs(value) + 1) + 1 if type(value) is int else 0


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _sum,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: _product,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
