import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.engine.records import Expected, ExpectedCall, Instruction, Query, ToolSpec
from studio.ui.fields import query_fields, read_query, read_tool, tool_fields

words = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
queries = st.builds(
    Query,
    id=words,
    text=words,
    expected=st.builds(
        Expected,
        calls=st.none()
        | st.lists(
            st.builds(ExpectedCall, words, st.dictionaries(st.text(), json_values, max_size=3)),
            max_size=3,
        ).map(tuple),
        contains=st.none() | st.lists(st.text(), max_size=4).map(tuple),
        number=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        unit=st.none() | st.text(min_size=1),
        answers=st.none() | st.lists(st.text(), max_size=3).map(tuple),
        pattern=st.none() | st.text(min_size=1),
        outputs=st.none() | st.lists(st.text(), max_size=3).map(tuple),
        instructions=st.none()
        | st.lists(st.builds(Instruction, words, st.just({"n": 1})), max_size=2).map(tuple),
        documents=st.none() | st.dictionaries(st.text(), st.floats(0, 1), max_size=3),
    ),
    tags=st.lists(st.text(), max_size=4).map(tuple),
)


def nothing_taken(_id: str) -> bool:
    return False


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(queries)
def test_a_query_that_is_shown_and_read_again_is_the_same(query: Query):
    assert read_query(query_fields(query), nothing_taken) == (query, {})


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(words, st.floats(0.001, 86_400), st.dictionaries(st.text(), json_values, max_size=3))
def test_a_tool_that_is_shown_and_read_again_is_the_same(
    description: str, limit: float, properties: dict[str, object]
):
    tool = ToolSpec("t", description, {"type": "object", "properties": properties}, limit)
    assert read_tool("t", tool_fields(tool)) == (tool, {})


def test_nothing_stated_and_nothing_wanted_are_two_things():
    fields = query_fields(Query("a", "b", Expected()))
    assert fields["calls"] == ""
    assert query_fields(Query("a", "b", Expected(calls=())))["calls"] == "[]"


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("id", " ", "empty"),
        ("id", "q2", "Another query"),
        ("text", "", "empty"),
        ("number", "1,234", "plain number"),
        ("number", "nan", "plain number"),
        ("number", "1_0", "plain number"),
        ("other", '{"calls": []}', "outputs, instructions, documents"),
        ("other", '{"outputs": [1]}', "outputs[0] must be a text, not a whole number"),
        ("calls", "[", "Line 1, column 2"),
        ("calls", '{"name": "x"}', "list of calls"),
        ("calls", '[{"nome": "x"}]', '"name"'),
        ("calls", '[{"name": "x", "arguments": []}]', "arguments of x"),
        ("calls", '[{"name": "x", "args": {}}]', "'args'"),
        ("calls", '[{"name": "x", "arguments": {"a": NaN}}]', "NaN"),
        ("calls", '[{"name": "x", "name": "y"}]', "twice"),
        ("calls", "[" * 100_000, "nested too deeply"),
        ("calls", '[{"name": "x", "arguments": {"n": ' + "9" * 5000 + "}}]", "not JSON"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_at_its_field(field: str, text: str, says: str):
    fields = {**query_fields(Query("q1", "b")), field: text}
    query, wrong = read_query(fields, {"q2"}.__contains__)
    assert query is None
    assert list(wrong) == [field]
    assert says in wrong[field]


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("description", "", "empty"),
        ("time_limit", "0", "above 0"),
        ("time_limit", "inf", "plain number"),
        ("parameters", "{}", '"type": "object"'),
        ("parameters", '{"type": "object", "properties": []}', "properties"),
        ("parameters", '{"type": "object", "required": "a"}', "required"),
        ("parameters", '{"type": "object", "required": ["a"]}', "'a'"),
        ("parameters", '{"type": "object", "required": [[]]}', "required"),
    ],
)
def test_what_is_wrong_with_a_tool_is_said_at_its_field(field: str, text: str, says: str):
    fields = {**tool_fields(ToolSpec("t", "d", {"type": "object"})), field: text}
    tool, wrong = read_tool("t", fields)
    assert tool is None
    assert list(wrong) == [field]
    assert says in wrong[field]


def test_every_field_that_a_query_may_expect_is_somewhere_in_the_form():
    fields = query_fields(Query("a", "b"))
    refusal = read_query({**fields, "other": "[]"}, nothing_taken)[1]["other"]
    for name in Expected.__struct_fields__:
        assert name in fields or name in refusal
