"""Patterns from outside: searched as `re` does, and ended where they would take for ever."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics import limited, patterns
from studio.engine.metrics.limited import TookTooLong
from studio.engine.metrics.patterns import BadPattern, Pattern

HOPELESS = Pattern("(a+)+$")
TEXT = "a" * 40 + "b"


def test_a_pattern_that_takes_for_ever_is_ended_and_the_next_one_is_searched():
    began = time.monotonic()
    with pytest.raises(TookTooLong, match=r"longer than 0\.3 s"):
        patterns.found(HOPELESS, TEXT, 0.3)
    assert time.monotonic() - began < 60
    assert patterns.found(Pattern("b+$"), TEXT)


def test_one_child_answers_many_patterns():
    patterns.found(Pattern("a+"), TEXT)
    [child, *_] = limited._idle
    assert [patterns.count(Pattern("a+|b"), "aab"), patterns.pieces(Pattern("[ab]"), "aab")] == [
        2,
        4,
    ]
    assert child in limited._idle


def test_a_child_that_died_is_replaced():
    patterns.found(Pattern("a+"), TEXT)
    for child in limited._idle:
        child.kill()
    assert patterns.found(Pattern("b+"), TEXT)


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "*", "(?P<a>x)(?P<a>y)", "a{99999999999}", "(" * 5000]
)
def test_what_is_no_pattern_is_said(pattern):
    with pytest.raises(BadPattern):
        patterns.found(Pattern(pattern), TEXT)


@given(st.text("ab.*+?[](){}|\\^$ \ud800é", max_size=12), st.text("abé \n\ud800", max_size=20))
def test_a_search_is_that_of_re(pattern, text):
    try:
        expected = re.search(pattern, text, re.IGNORECASE) is not None
    except re.error:
        with pytest.raises(BadPattern):
            patterns.found(Pattern(pattern, ignore_case=True), text)
        return
    assert patterns.found(Pattern(pattern, ignore_case=True), text) is expected
