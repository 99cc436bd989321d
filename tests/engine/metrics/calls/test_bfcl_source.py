"""BFCL's cases of Java and JavaScript: calls as text, and values as source text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics.bfcl.source_text import read_call
from studio.engine.metrics.call_text import NotCarriedOut, Unreadable
from tests.engine.metrics.calls.cases import bfcl, function, outcome

# The language, the text, the call as BFCL's own parser reads it (None: source without a call).
READ = {
    "named values": ("java", 'f(a=1, b="x y")', {"f": {"a": "1", "b": "x y"}}),
    "a method of a class": ("java", "A.b.f(a=true);", {"A.b.f": {"a": "true"}}),
    "a character": ("java", "f(a=1, b='y')", {"f": {"a": "1", "b": "y"}}),
    "an array": ("java", 'f(a=new String[]{"x", "y"})', {"f": {"a": 'new String[]{"x","y"}'}}),
    "a list": (
        "java", 'f(a=new ArrayList<>(Arrays.asList("x", 2)))',
        {"f": {"a": 'new ArrayList<>(Arrays.asList("x", 2))'}},
    ),
    "what an anonymous class adds is lost": (
        "java", 'f(a=new HashMap<String, Integer>() {{ put("k", 1); }})',
        {"f": {"a": "new HashMap<String,Integer>()"}},
    ),
    "a name is a value without a name": ("java", "A.f(x, a=1)", {"A.f": {None: "x", "a": "1"}}),
    "only the first call counts": ("java", "f(a=1); g(b=2);", {"f": {"a": "1"}}),
    "no call": ("java", "int x = 5;", None),
    "letters beyond ASCII shift what follows": (
        "java", 'f(a="é", b=1)', {"f": {"a": 'é"', "=": ")"}},
    ),
    "text of javascript": ("javascript", "f(a=1, b='x')", {"f": {"a": "1", "b": "x"}}),
    "a list and an object": (
        "javascript", "o.f(a=[1, 'x'], b={k: 1})", {"o.f": {"a": "[1, 'x']", "b": "{k: 1}"}},
    ),
    "a name and true have no name": ("javascript", "f(x, a=1)", {"f": {None: "x", "a": "1"}}),
    "numbers without a name are passed over": ("javascript", "f(5, a=1)", {"f": {"a": "1"}}),
    "whatever the letters": ("javascript", 'f(a="é", b=1)', {"f": {"a": "é", "b": "1"}}),
    "a sequence is no call": ("javascript", "f(a=1), g(b=2)", None),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_text_is_read_as_bfcl_reads_it(name):
    language, text, call = READ[name]
    assert read_call(text, language) == (None if call is None else [call])


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("java", "f(a=1"), ("java", "I am sorry."), ("java", "f(a=1, a=2)"), ("java", "f(x, y)"),
        ("java", "f(a=1), g(b=2)"), ("java", "f(a=new int[5])"), ("javascript", "f(a=1"),
        ("javascript", "I am sorry."), ("javascript", "f(a=1, a=2)"),
    ],
)  # fmt: skip
def test_what_is_no_source_or_names_an_argument_twice_cannot_be_read(language, text):
    with pytest.raises(Unreadable):
        read_call(text, language)


def test_corrected_values_are_as_they_are_written():
    text = 'f(a=new HashMap<String, Integer>() {{ put("é", 1); }}, b="x")'
    [call] = read_call(text, "java", as_published=False)
    assert call == {"f": {"a": 'new HashMap<String, Integer>() {{ put("é", 1); }}', "b": "x"}}


@pytest.mark.parametrize("language", ["java", "javascript"])
@pytest.mark.parametrize(
    "text", ["(" * 60_000, "f(a=" + "(" * 50_000 + ")" * 50_000 + ")", "x)(='\"{" * 5_000, "\ud800"]
)
def test_hostile_text_is_refused_or_holds_no_call(language, text):
    case = {"language": language, "category": "simple", "function": [function("f", {})]}
    for mode in ("published", "corrected"):
        verdict = bfcl({**case, "ground_truth": [{"f": {}}], "result": text}, mode)
        assert verdict.value is None or outcome(verdict).startswith("ast_decoder")
        assert verdict.reason


@given(st.text(max_size=40), st.sampled_from(["java", "javascript"]), st.booleans())
def test_any_text_is_read_or_refused(text, language, as_published):
    try:
        calls = read_call(f"f({text})", language, as_published=as_published)
    except (Unreadable, NotCarriedOut):
        return
    for call in calls or ():
        assert all(isinstance(value, str) for values in call.values() for value in values.values())


# The language, the type, the acceptable value, the source text: as published, as corrected.
VALUES = {
    "an integer": ("java", "integer", 5, "5", 1.0, 1.0),
    "a long needs its letter": ("java", "long", 5, "5L", 1.0, 1.0),
    "a long without it": ("java", "long", 5, "5", "type_error:simple", "type_error:simple"),
    "a float needs its letter": ("java", "float", 1.5, "1.5f", 1.0, 1.0),
    "a truth value": ("java", "boolean", True, "true", 1.0, 1.0),
    "a variable": ("java", "integer", "limit", "limit", 1.0, 1.0),
    "a number is no source text": ("java", "integer", 5, 5, "type_error:java", 1.0),
    "an array": (
        "java", {"type": "Array", "items": {"type": "String"}}, ["a", "b"],
        'new String[]{"a", "b"}', "value_error:list/tuple", 1.0,
    ),
    "a comma within a text": (
        "java", {"type": "Array", "items": {"type": "String"}}, ["a,b"],
        'new String[]{"a,b"}', "value_error:list/tuple", 1.0,
    ),
    "a map": (
        "java", "HashMap", {"k": [1]}, 'new HashMap<>() {{ put("k", 1); }}', 1.0, 1.0,
    ),
    "a set is never read, published": ("java", "Set", "s", "s", None, 1.0),
    "a big integer": ("javascript", "Bigint", 5, "5n", 1.0, 1.0),
    "a list": (
        "javascript", {"type": "array", "items": {"type": "integer"}}, [1, 2], "[1, 2]", 1.0, 1.0,
    ),
    "an object": ("javascript", "dict", {"k": ["v"]}, "{k: 'v'}", 1.0, 1.0),
    "a quoted text": ("javascript", "String", "x", "'x'", 1.0, 1.0),
    "a number is no source": ("javascript", "integer", 5, 5, "type_error:js", 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_read_from_its_source(name):
    language, kind, acceptable, value, published, corrected = VALUES[name]
    case = {
        "category": f"simple_{language}", "function": [function("f", {"a": kind}, ("a",))],
        "ground_truth": [{"f": {"a": [acceptable]}}], "result": [{"f": {"a": value}}],
    }  # fmt: skip
    assert outcome(bfcl(case)) == published
    assert outcome(bfcl(case, "corrected")) == corrected


@pytest.mark.parametrize("language", ["java", "javascript"])
@pytest.mark.parametrize("wrapped", ["{}", "[{}]", "`{}`", "```\n{}\n```"])
def test_a_reply_in_text_is_judged(language, wrapped):
    case = {
        "id": f"{language}_3", "function": [function("f", {"a": "integer", "b": "String"}, ("a",))],
        "ground_truth": [{"f": {"a": [5], "b": ["x", ""]}}],
    }  # fmt: skip
    for mode in ("published", "corrected"):
        right = bfcl({**case, "result": wrapped.format('f(a=5, b="x")')}, mode)
        assert right.value == 1.0, right.reason
        assert bfcl({**case, "result": wrapped.format("f(a=6)")}, mode).value == 0.0
        assert bfcl({**case, "result": "no"}, mode).value == 0.0
        assert outcome(bfcl({**case, "result": "f("}, mode)) == "ast_decoder:decoder_failed"


def test_a_pattern_that_takes_too_long_is_stopped_and_not_scored(monkeypatch):
    monkeypatch.setattr("studio.engine.metrics.bfcl.limited.LIMIT", 0.05)
    case = {
        "category": "simple_java", "function": [function("f", {"a": "HashMap"}, ("a",))],
        "ground_truth": [{"f": {"a": [{"k": [1]}]}}],
        "result": [{"f": {"a": "new HashMap<" + "> ( <" * 40_000}}],
    }  # fmt: skip
    verdict = bfcl(case)
    assert verdict.value in (None, 0.0)
    assert verdict.reason
