"""A type annotation, read as source, as the JSON Schema of the values that fit it."""

import ast
from typing import Any

Schema = dict[str, Any]

_SIMPLE: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "Any": {},
    "object": {},
}
_ARRAYS = frozenset({"list", "List", "Sequence", "Iterable", "Collection"})
_OBJECTS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})


class UnknownType(ValueError):
    """The annotation names a type that a JSON value cannot fit."""


def schema_of(annotation: ast.expr | None) -> Schema:
    """The JSON Schema for `annotation` (None: anything).  Raises UnknownType."""
    match annotation:
        case None:
            return {}
        case ast.Constant(value=None):
            return dict(_SIMPLE["None"])
        case ast.Constant(value=str(source)):
            return schema_of(_parsed(source))
        case ast.Name() | ast.Attribute():
            return _named(annotation)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([left, right])
        case ast.Subscript(value=value, slice=inner):
            return _subscripted(_last_name(value), inner)
    raise UnknownType(ast.unparse(annotation))


def _parsed(source: str) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise UnknownType(repr(source)) from error


def _last_name(node: ast.expr) -> str:
    """`list` for `list`, `List` for `typing.List`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    raise UnknownType(ast.unparse(node))


def _named(node: ast.expr) -> Schema:
    name = _last_name(node)
    if name in _SIMPLE:
        return dict(_SIMPLE[name])
    if name in _ARRAYS:
        return {"type": "array"}
    if name in _OBJECTS:
        return {"type": "object"}
    raise UnknownType(ast.unparse(node))


def _subscripted(name: str, inner: ast.expr) -> Schema:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    match name:
        case "Optional":
            return _union([inner, ast.Constant(value=None)])
        case "Union":
            return _union(parts)
        case "Literal":
            return _literal(parts)
        case "Annotated":
            return _annotated(parts)
        case _ if name in _ARRAYS and len(parts) == 1:
            return _with_part({"type": "array"}, "items", parts[0])
        case _ if name in _OBJECTS and len(parts) == 2 and schema_of(parts[0]) in _KEYS:
            return _with_part({"type": "object"}, "additionalProperties", parts[1])
    raise UnknownType(f"{name}[{ast.unparse(inner)}]")


_KEYS: tuple[Schema, ...] = ({"type": "string"}, {})


def _with_part(schema: Schema, keyword: str, part: ast.expr) -> Schema:
    inner = schema_of(part)
    return schema | {keyword: inner} if inner else schema


def _union(parts: list[ast.expr]) -> Schema:
    schemas: list[Schema] = []
    for part in parts:
        schema = schema_of(part)
        for choice in schema["anyOf"] if set(schema) == {"anyOf"} else [schema]:
            if choice not in schemas:
                schemas.append(choice)
    if {} in schemas:
        return {}
    if len(schemas) == 1:
        return schemas[0]
    return _nullable(schemas) or {"anyOf": schemas}


def _nullable(schemas: list[Schema]) -> Schema | None:
    """One type or null reads best as one schema: small models cope badly with `anyOf`."""
    others = [schema for schema in schemas if schema != _SIMPLE["None"]]
    if len(others) != 1 or not isinstance(others[0].get("type"), str):
        return None
    only = others[0] | {"type": [others[0]["type"], "null"]}
    return only | {"enum": [*only["enum"], None]} if "enum" in only else only


def _literal(parts: list[ast.expr]) -> Schema:
    values: list[Any] = []
    for part in parts:
        try:
            value = ast.literal_eval(part)
        except ValueError as error:
            raise UnknownType(f"Literal[{ast.unparse(part)}]") from error
        if not isinstance(value, str | int | None):
            raise UnknownType(f"Literal[{value!r}]")
        values.append(value)
    kinds = {type(value) for value in values}
    schema: Schema = {"enum": values}
    if len(kinds) == 1:
        return {"type": _JSON_TYPES[kinds.pop()], **schema}
    return schema


_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def _annotated(parts: list[ast.expr]) -> Schema:
    schema = schema_of(parts[0])
    for note in parts[1:]:
        if isinstance(note, ast.Constant) and isinstance(note.value, str):
            return schema | {"description": note.value}
    return schema
