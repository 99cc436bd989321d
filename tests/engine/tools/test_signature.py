"""Tools are read from source alone."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.tools import read_signatures
from studio.engine.tools.docstrings import read_docstring


def read(tmp_path: Path, source: str | bytes):
    path = tmp_path / "tools.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return read_signatures(path)


def only_tool(tmp_path: Path, source: str):
    signatures = read(tmp_path, source)
    assert not signatures.problems
    (tool,) = signatures.tools
    return tool


def schema_of(tmp_path: Path, annotation: str) -> dict:
    tool = only_tool(tmp_path, f"def f(x: {annotation}): ...")
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    return tool.parameters["properties"]["x"]


def test_public_functions_at_the_top_are_the_tools_in_order(tmp_path):
    source = """
import os
from os.path import join
LIMIT = 3
def second(): ...
async def first(): ...
def _private(): ...
class Thing:
    def method(self): ...
def outer():
    def inner(): ...
lambda_tool = lambda x: x
"""
    assert [tool.name for tool in read(tmp_path, source).tools] == ["second", "first", "outer"]


def test_reading_runs_nothing(tmp_path):
    source = f"open({str(tmp_path / 'made')!r}, 'w')\ndef f(x: int = print('x')): ...\n"
    assert read(tmp_path, source).tools[0].name == "f"
    assert not (tmp_path / "made").exists()


def test_names_types_defaults_and_descriptions_make_the_schema(tmp_path):
    tool = only_tool(
        tmp_path,
        '''
def price(metal: str, grams: float = 1.5, *, currency: Literal["EUR", "USD"] = "EUR"):
    """The price of a metal,
    today.

    Looked up in a table.

    Args:
        metal: its English name
        grams (float): how much of it,
            in grams
    """
''',
    )
    assert tool.description == "The price of a metal, today."
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "metal": {"type": "string", "description": "its English name"},
            "grams": {
                "type": "number",
                "description": "how much of it, in grams",
                "default": 1.5,
            },
            "currency": {"type": "string", "enum": ["EUR", "USD"], "default": "EUR"},
        },
        "required": ["metal"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("bool", {"type": "boolean"}),
        ("'float'", {"type": "number"}),
        ("Any", {}),
        ("list", {"type": "array"}),
        ("list[str]", {"type": "array", "items": {"type": "string"}}),
        ("typing.List['int']", {"type": "array", "items": {"type": "integer"}}),
        ("list[Any]", {"type": "array"}),
        ("dict", {"type": "object"}),
        (
            "dict[str, float]",
            {"type": "object", "additionalProperties": {"type": "number"}},
        ),
        ("Mapping[str, Any]", {"type": "object"}),
        ("str | None", {"type": ["string", "null"]}),
        ("Optional[list[int]]", {"type": ["array", "null"], "items": {"type": "integer"}}),
        ("typing.Union[int, str]", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            "int | str | None",
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
        ("Literal['a', 1]", {"enum": ["a", 1]}),
        ("Literal['a', 'b'] | None", {"type": ["string", "null"], "enum": ["a", "b", None]}),
        ("Annotated[int, 'how many']", {"type": "integer", "description": "how many"}),
    ],
)
def test_an_annotation_is_a_schema(tmp_path, annotation, schema):
    assert schema_of(tmp_path, annotation) == schema


def test_an_argument_without_annotation_takes_anything(tmp_path):
    tool = only_tool(tmp_path, "def f(x, y=(1, 2), **more): ...")
    assert tool.parameters["properties"] == {"x": {}, "y": {"default": [1, 2]}}
    assert tool.parameters["additionalProperties"] is True


@pytest.mark.parametrize("default", ["object()", "NAME", "1e999", "b'x'", "{1, 2}", "2**3"])
def test_a_default_that_is_no_json_makes_the_argument_optional_all_the_same(tmp_path, default):
    tool = only_tool(tmp_path, f"def f(x={default}): ...")
    assert tool.parameters["properties"] == {"x": {}}
    assert tool.parameters["required"] == []


@pytest.mark.parametrize(
    "annotation",
    ["bytes", "Frame", "pd.DataFrame", "dict[int, str]", "Literal[NAME]", "f()", "'['"],
)
def test_a_type_that_no_model_can_give_is_a_problem_with_its_line(tmp_path, annotation):
    (problem,) = read(tmp_path, f"\ndef f(\n    x: {annotation},\n): ...").problems
    assert (problem.file, problem.line) == ("tools.py", 3)
    assert "The argument 'x' of 'f'" in problem.problem


def test_arguments_without_a_name_are_a_problem(tmp_path):
    problems = read(tmp_path, "def f(a, b=1, /, c=2, *rest): ...").problems
    assert [problem.problem.split("'")[1] for problem in problems] == ["a", "b", "rest"]


def test_a_tool_defined_twice_is_a_problem(tmp_path):
    signatures = read(tmp_path, "def f(a): ...\ndef f(b): ...\n")
    assert [list(tool.parameters["properties"]) for tool in signatures.tools] == [["b"]]
    assert [problem.line for problem in signatures.problems] == [2]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"def f():\n    return 1\ndef g(:\n", 3),
        (b"def f():\nreturn 1\n", 2),
        (b"x = '\xff\xfe'\n", 1),
        (b"x = 1\x00\n", 0),
        (b"(" * 10_000, 1),
    ],
)
def test_broken_source_is_one_problem_that_names_the_line(tmp_path, source, line):
    signatures = read(tmp_path, source)
    (problem,) = signatures.problems
    assert signatures.tools == ()
    assert problem.problem.startswith("This is no valid Python")
    assert problem.line == line or line == 1


def test_a_missing_file_is_a_problem(tmp_path):
    (problem,) = read_signatures(tmp_path / "tools.py").problems
    assert "No such file" in problem.problem


def test_doubtful_escapes_are_left_to_the_users_linter(tmp_path):
    assert only_tool(tmp_path, "PATTERN = '\\d'\ndef f(): ...").name == "f"


GOOGLE = """Summary.

    Args:
        a: first
          thing
        b (int, optional): second

    Returns:
        c: not an argument
    """
NUMPY = """Summary.

    Parameters
    ----------
    a : str
        first
        thing
    b : int
        second

    Returns
    -------
    c : int
        not an argument
    """
SPHINX = """Summary.

    :param str a: first
        thing
    :param b: second
    :returns: c
    """


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX])
def test_three_styles_of_docstring_describe_the_arguments(docstring):
    assert read_docstring(docstring) == ("Summary.", {"a": "first thing", "b": "second"})


@given(st.text())
def test_any_docstring_can_be_read(text):
    summary, arguments = read_docstring(text)
    assert "\n" not in summary.strip("\n") or summary == ""
    json.dumps(arguments)


def test_a_description_of_a_misspelt_argument_is_a_mistake(tmp_path):
    source = '''
def f(origin: str, destination: str):
    """Go.

    Args:
        {}: Where it begins.
        {}: Where it ends.
    """
'''
    [problem] = read(tmp_path, source.format("origin", "destinaton")).problems
    assert (problem.line, problem.remedy) == (2, "Did you mean destination?")
    assert "describes 'destinaton', which is no argument" in problem.problem
    for other in ("destination", "Note", "origins"):
        assert not read(tmp_path, source.format("origin", other)).problems
