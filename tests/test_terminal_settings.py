"""Settings as they are written in a terminal are those that a metric's key shows."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.metrics import CATALOGUE, build
from studio.engine.records import MetricSpec
from studio.terminal_settings import settings_of, value_of

texts = st.text('ab=,{}[]"1 \ud800', max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["a", "bc", "d_1"]), values, min_size=1))
def test_json_is_read_back_whatever_stands_in_it(settings):
    written = ",".join(
        f"{name}={msgspec.json.encode(value).decode()}"
        for name, value in settings.items()
        if not has_half_a_pair(value)
    )
    expected = {name: value for name, value in settings.items() if not has_half_a_pair(value)}
    assert dict(settings_of(written)) == expected


def has_half_a_pair(value) -> bool:
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return True
    return False


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("count=prompt", {"count": "prompt"}),
        ("count=,tool=a b", {"count": "", "tool": "a b"}),
        ("pattern=a,b,k=3", {"pattern": "a,b", "k": 3}),
        ("pattern=1,b", {"pattern": "1,b"}),
        ('overrides={"a,b=c":["x"]},match=unordered', {
            "overrides": {"a,b=c": ["x"]}, "match": "unordered",
        }),
    ],
)  # fmt: skip
def test_texts_need_no_quotes(text, settings):
    assert dict(settings_of(text)) == settings


def test_a_key_is_read_as_the_metric_that_has_it():
    settings = {"mode": "published", "match": "unordered", "overrides": {"a,b=c": ["x"]}}
    [metric] = build([MetricSpec("trajectory_match", settings)])
    inside = metric.key.removeprefix("trajectory_match(")[:-1]
    assert build([MetricSpec("trajectory_match", dict(settings_of(inside)))]) == (metric,)
    assert type(metric) is CATALOGUE["trajectory_match"]


def test_what_sets_nothing_is_told():
    with pytest.raises(ValueError, match="'prompt' sets nothing"):
        dict(settings_of("prompt"))


@given(texts)
def test_a_value_is_json_or_the_text(text):
    value = value_of(text)
    assert value == text or not isinstance(value, str) or text.startswith(('"', " "))
