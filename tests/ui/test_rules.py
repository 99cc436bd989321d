"""Rules for all code of the window, read from its source: text, loops, connections."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import studio.ui

SOURCES = sorted(Path(studio.ui.__file__).parent.rglob("*.py"))
RICH = {"setHtml", "setMarkdown", "appendHtml", "insertHtml"}
# What Qt takes for markup when it looks like some.  PlainLabel is plain by its format.
GUESSING = {"QLabel", "QToolTip", "QMessageBox", "QErrorMessage", "QProgressDialog"}
GUESSING_CALLS = {"setToolTip", "showText", "setInformativeText", "setTitle"}
HARMLESS = {"plain", "tip"}


def wrong_in(tree: ast.AST) -> Iterator[str]:
    """What breaks a rule in this source, as `line: what`."""
    listed = _listed(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for what in _wrong_with(node, listed):
                yield f"{node.lineno}: {what}"


def _listed(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What the variables of loops over literal lists stand for."""
    found: dict[str, list[ast.expr]] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Tuple | ast.List):
            for item in loop.iter.elts:
                names = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
                values = item.elts if isinstance(item, ast.Tuple) else [item]
                for name, value in zip(names, values, strict=True):
                    found.setdefault(ast.unparse(name), []).append(value)
    return found


def _wrong_with(call: ast.Call, listed: dict[str, list[ast.expr]]) -> Iterator[str]:
    name = _name(call.func)
    given = [value for each in call.args[:2] for value in listed.get(ast.unparse(each), [each])]
    first = [value for each in call.args[:1] for value in listed.get(ast.unparse(each), [each])]
    if name == "connect" and not all(map(_is_bound, first)):
        yield "connect takes a bound method or a signal"
    if name == "exec" and ast.unparse(call.func) not in {"QApplication.exec"}:
        yield "nothing runs a loop of its own"
    if name in RICH or name == "processEvents":
        yield f"{name} is not used"
    texts = given[1:] if name == "showText" else first
    if name in GUESSING | GUESSING_CALLS and not all(map(_is_harmless, texts)):
        yield f"{name} takes a literal, or what plain() or tip() made"


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_bound(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Attribute)


def _is_harmless(argument: ast.expr) -> bool:
    match argument:
        case ast.Constant():
            return True
        case ast.Call():
            return _name(argument.func) in HARMLESS
        case ast.NamedExpr():
            return _is_harmless(argument.value)
        case ast.IfExp():
            return _is_harmless(argument.body) and _is_harmless(argument.orelse)
        case ast.Name(id="wanted"):
            return True  # assigned from tip() in the same expression
        case _:
            return False


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.name) for path in SOURCES])
def test_every_module_keeps_the_rules(path: Path):
    assert list(wrong_in(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "line",
    [
        "button.clicked.connect(lambda: self.go())",
        "button.clicked.connect(partial(self.go, 1))",
        "button.clicked.connect(go)",
        "dialog.exec()",
        "QApplication.processEvents()",
        "view.setHtml(text)",
        "view.setMarkdown('x')",
        "QLabel(text)",
        "widget.setToolTip(name)",
        "widget.setToolTip(f'{name}')",
        "widget.setToolTip(plain(a) if b else name)",
        "plot.setTitle(name)",
        "for a, b in (('x', go), ('y', self.go)): signal.connect(b)",
        "for a in ('x', name): widget.setToolTip(a)",
    ],
)
def test_the_rules_see_what_breaks_them(line: str):
    assert len(list(wrong_in(ast.parse(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "button.clicked.connect(self.go)",
        "signal.connect(self.other_signal)",
        "widget.setToolTip(tip(name))",
        "widget.setToolTip('Close' if a else tip(name))",
        "label.setText(anything)",
        "QApplication.exec()",
        "for a, b in (('x', self.go), ('y', self.stop)): signal.connect(b)",
        "for a in ('x', 'y'): widget.setToolTip(a)",
    ],
)
def test_the_rules_let_pass_what_keeps_them(line: str):
    assert list(wrong_in(ast.parse(line))) == []
