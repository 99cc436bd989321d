"""Reads the call that stands in a text of Java or JavaScript, `f(a=1, b="x")`; runs nothing.

As BFCL's parsers do it (`model_handler/parser`, 2026-03-23): tree-sitter parses the text, one call
is taken from it, and each named argument becomes source text, a string without its quotes.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from studio.engine.metrics.call_text import LONGEST, NotCarriedOut, Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_NAMED = "assignment_expression"
_QUOTES = ('"', "'")
_TEXTS = frozenset(("identifier", "class_literal", "type_identifier", "method_invocation"))
_STRINGS = frozenset(("string_literal", "character_literal"))


def read_call(text: str, language: str, *, as_published: bool = True) -> list[Any] | None:
    """The call as `[{name: {argument: source text}}]`; None if the text is source without one.

    Published: Java strings are counted in bytes and cut in characters, so that text behind a
    letter beyond ASCII shifts, and what a Java value is made of is put together anew, which drops
    blanks and the bodies of anonymous classes.  Corrected: values are as they are written.

    Raises Unreadable for what is no source, and NotCarriedOut.
    """
    if len(text) > LONGEST:
        raise NotCarriedOut(f"the text is longer than {LONGEST:,} characters")
    source = text.encode("utf-8", "surrogatepass")
    root = _parser(language).parse(source).root_node
    # What is only missing, such as the last semicolon, is no error here.
    if root.has_error and any(node.type == "ERROR" for node in _nodes(root)):
        raise Unreadable(f"this is no {language}")
    if language == "javascript":
        return _javascript_call(root)

    def sliced(node: "Node") -> str:
        return text[node.start_byte : node.end_byte]

    try:
        if as_published:
            return _java_call(root, sliced, lambda node: _rebuilt(node, sliced, is_inner=False))
        return _java_call(root, _written, _java_value)
    except RecursionError as error:
        raise NotCarriedOut("a value is nested too deeply") from error


@cache
def _parser(language: str) -> "Parser":
    # Loaded with the first text of these languages: most graders need none of it.
    import tree_sitter_java
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    grammar = tree_sitter_java if language == "java" else tree_sitter_javascript
    return Parser(Language(grammar.language()))


def _nodes(root: "Node") -> Iterator["Node"]:
    """The node and all below it, parents first, without recursion: texts may nest at will."""
    cursor = root.walk()
    while True:
        assert cursor.node is not None
        yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _written(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


Text = Callable[["Node"], str]


def _java_call(root: "Node", text: Text, value: Text) -> list[Any] | None:
    call = next((node for node in _nodes(root) if node.type == "method_invocation"), None)
    if call is None:
        return None
    name, owner = call.child_by_field_name("name"), call.child_by_field_name("object")
    arguments = call.child_by_field_name("arguments")
    assert name is not None
    assert arguments is not None
    written = text(name) if owner is None else f"{text(owner)}.{text(name)}"
    plain = ("identifier", "class_literal")
    return [{written: _arguments(arguments, text, value, plain)}]


def _arguments(node: "Node", text: Text, value: Text, plain: tuple[str, ...]) -> dict[Any, str]:
    """The named arguments; one without a name stands under None, others are passed over."""
    found: dict[Any, str] = {}
    for child in node.children:
        if child.type == _NAMED:
            name, given = text(child.children[0]), value(child.children[2])
        elif child.type in plain:
            name, given = None, value(child)
        else:
            continue
        if name in found:
            raise Unreadable("an argument stands twice")
        found[name] = given
    return found


def _java_value(node: "Node") -> str:
    written = _written(node)
    return written[1:-1] if node.type in _STRINGS else written


def _rebuilt(node: "Node | None", text: Text, *, is_inner: bool = True) -> str:
    """A value put together from its parts, as the published parser does it."""
    if node is None:
        raise Unreadable("a part is missing")
    kind, field = node.type, node.child_by_field_name
    if kind in _STRINGS:
        return text(node) if is_inner else text(node)[1:-1]
    if kind in _TEXTS:
        return text(node)
    if kind == "array_creation_expression":
        return f"new {_rebuilt(field('type'), text)}[]{_rebuilt(field('value'), text)}"
    if kind == "object_creation_expression":
        given = field("arguments")
        children = [] if given is None else given.children
        parts = (_rebuilt(each, text) for each in children if each.type not in (",", "(", ")"))
        return f"new {_rebuilt(field('type'), text)}({', '.join(parts)})"
    if node.child_count:
        return "".join(_rebuilt(child, text) for child in node.children)
    return text(node)


def _javascript_call(root: "Node") -> list[Any] | None:
    for statement in root.children:
        if statement.type != "expression_statement":
            continue
        for node in statement.children:
            if node.type == "call_expression":
                name, arguments = node.children[0], node.children[1]
                plain = ("identifier", "true")
                found = _arguments(arguments, _written, _javascript_value, plain)
                return [{_written(name): found}]
    return None


def _javascript_value(node: "Node") -> str:
    written = _written(node)
    is_quoted = any(written.startswith(mark) and written.endswith(mark) for mark in _QUOTES)
    return written[1:-1] if is_quoted else written
