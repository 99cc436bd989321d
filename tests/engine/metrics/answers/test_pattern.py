"""A pattern of the query, searched in the answer and never for long."""

import pytest

from studio.engine.errors import StudioError
from studio.engine.metrics import build
from studio.engine.metrics.answers.pattern import AnswerPattern
from studio.engine.records import MetricSpec
from tests.engine.metrics.made_traces import query, trace


@pytest.mark.parametrize(
    ("pattern", "answer", "value"),
    [
        (r"\d+ EUR", "It is 70 EUR.", 1.0),
        (r"^70", "It is 70 EUR.", 0.0),
        (r"(?i)eur", "It is 70 EUR.", 1.0),
        ("(", "anything", None),
    ],
)
def test_a_pattern_is_searched_as_re_does(pattern, answer, value):
    assert AnswerPattern().score(query(pattern=pattern), trace(answer)).value == value
    assert AnswerPattern().verdict_on({"pattern": pattern, "response": answer}).value == value


def test_case_can_be_ignored():
    asked = query(pattern="gold+")
    assert AnswerPattern().score(asked, trace("GOLD")).value == 0.0
    assert AnswerPattern(ignore_case=True).score(asked, trace("GOLD")).value == 1.0


def test_a_hopeless_search_is_not_scored():
    found = AnswerPattern(time_limit=0.2).score(query(pattern="(a|aa)+$"), trace("a" * 60 + "b"))
    assert found.value is None
    assert "longer than 0.2 s" in found.reason


def test_no_answer_is_a_wrong_answer_and_no_pattern_no_question():
    assert AnswerPattern().score(query(pattern="a"), trace(None)).value == 0.0
    assert AnswerPattern().score(query(), trace("a")).value is None
    assert AnswerPattern().verdict_on({"pattern": 7, "response": "a"}).value is None


@pytest.mark.parametrize("limit", [0, -1, 61, "2"])
def test_a_time_limit_that_is_none_is_refused(limit):
    with pytest.raises(StudioError):
        build([MetricSpec("answer_pattern", {"time_limit": limit})])
