"""Mistakes that are put right, noticed, or missed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.reflection import ReflectionScore

FAILED = {"name": "find", "arguments": {"city": "Olso"}, "error": "exception", "result": "no Olso"}
FIXED = {"name": "find", "arguments": {"city": "Oslo"}, "result": "59.9 N"}
OTHER = {"name": "list", "arguments": {}, "result": "[]"}


def score(calls, answer="It is in Norway.", **expected):
    return grade(ReflectionScore(), {"calls": calls, "answer": answer, "expected": expected})


@pytest.mark.parametrize(
    ("calls", "answer", "value"),
    [
        ([FAILED, FIXED], "59.9 N", 1.0),
        ([FAILED, OTHER, FIXED], "59.9 N", 1.0),
        ([FAILED, FAILED], "It is 59.9 N.", 0.0),
        ([FAILED, {**FIXED, "error": "exception"}], "59.9 N", 0.25),
        ([FAILED], "I could not find it.", 0.5),
        ([FAILED, OTHER], "It is 59.9 N.", 0.0),
        ([{**FAILED, "error": None, "result": "Error: no Olso"}, FIXED], "59.9 N", 1.0),
        ([FAILED, {**FAILED, "error": None, "result": "59.9 N"}], "59.9 N", 1.0),
        ([FAILED, FAILED, FIXED], "59.9 N", 1.0),
    ],
)
def test_a_call_that_failed_is_put_right_noticed_or_missed(calls, answer, value):
    assert score(calls, answer).value == value


@pytest.mark.parametrize("calls", [[], [FIXED], [OTHER, FIXED]])
def test_where_nothing_went_wrong_there_is_nothing_to_score(calls):
    verdict = score(calls)
    assert verdict.value is None
    assert "nothing to notice" in verdict.reason


@pytest.mark.parametrize(
    "point",
    [1, "find", {"call": 1}, {"tool": "find", "arguments": {"city": "Paris"}}, {"call": 1,
     "tool": "find"}],
    ids=str,
)  # fmt: skip
def test_the_query_may_name_a_mistake_that_no_tool_complains_of(point):
    wrong = {"name": "find", "arguments": {"city": "Paris"}, "result": "48.9 N"}
    stated = {"failure_point": point}
    assert score([wrong, FIXED], reflection=stated).value == 1.0
    assert score([wrong, wrong], "48.9 N", reflection=stated).value == 0.0
    assert score([wrong], "Sorry, that was the wrong city.", reflection=stated).value == 0.5
    assert score([OTHER], reflection={"failure_point": "find"}).value is None


def test_only_the_stated_fix_puts_it_right():
    wrong = {"name": "find", "arguments": {"city": "Paris"}, "result": "48.9 N"}
    stated = {"failure_point": {"tool": "find", "fix": {"city": "Oslo"}}}
    assert score([wrong, FIXED], reflection=stated).value == 1.0
    rome = {"name": "find", "arguments": {"city": "Rome"}, "result": "41.9 N"}
    assert score([wrong, rome], reflection=stated).value == 0.5


@pytest.mark.parametrize("stated", [5, [], {}, {"failure_point": 0}, {"failure_point": {}},
                                    {"failure_point": {"calls": 1}}], ids=str)  # fmt: skip
def test_a_statement_that_cannot_be_read_is_named(stated):
    verdict = score([FAILED], reflection=stated)
    assert verdict.value is None
    assert "reflection" in verdict.reason


@given(st.lists(st.sampled_from([FAILED, FIXED, OTHER]), max_size=8))
def test_a_later_good_call_never_lowers_the_score(calls):
    before, after = score(calls).value, score([*calls, FIXED]).value
    if before is not None:
        assert after is not None
        assert after >= before
