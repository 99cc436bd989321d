"""What a request may say, and how it is refused."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.models.embedded import asked, grammar
from studio.engine.models.embedded.asked import ChatRequest, Message, Refusal
from studio.engine.models.embedded.options import Options


def _refusal(ask: Callable[[], object]) -> Refusal | None:
    try:
        ask()
    except Refusal as refused:
        return refused
    return None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, 300), (0, 0), (-1, -1), (2.5, 2.5), ("5m", 300), ("1h30m", 5400), ("300ms", 0.3),
     ("-1s", -1), ("0", 0)],
)  # fmt: skip
def test_keep_alive_is_read_as_go_reads_durations(value: object, seconds: float):
    assert asked.keep_alive(value) == pytest.approx(seconds)


@pytest.mark.parametrize("value", ["soon", "5", "", "m", "1 m", True, [1]])
def test_a_keep_alive_of_another_form_is_refused(value: object):
    with pytest.raises(Refusal) as refused:
        asked.keep_alive(value)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_ctx": "big"}, 'option "num_ctx" must be of type integer'),
        ({"temperature": "hot"}, 'option "temperature" must be of type float32'),
        ({"seed": True}, 'option "seed" must be of type integer'),
        ({"stop": "x"}, 'option "stop" must be of type array'),
        ({"use_mmap": 1}, 'option "use_mmap" must be of type boolean'),
    ],
)
def test_an_option_of_the_wrong_type_is_a_server_error(options: dict[str, object], text: str):
    with pytest.raises(Refusal) as refused:
        Options(options, 8192)
    assert (refused.value.status, refused.value.text) == (500, text)


def test_unknown_and_empty_options_are_ignored():
    options = Options({"no_such": 1, "num_ctx": None, "top_k": 3.0}, 8192)
    assert options.window == asked.DEFAULT_WINDOW
    assert options.sampling["top_k"] == 3


def test_without_shifting_the_window_bounds_the_answer():
    options = Options({"num_predict": 500}, 8192)
    assert options.tokens_allowed(200, 256, shift=False) == 56
    assert options.tokens_allowed(200, 256, shift=True) == 500


def test_what_a_reply_has_written_counts_towards_its_limit():
    options = Options({"num_predict": 30}, 8192)
    assert options.tokens_allowed(200, 256, shift=False, written=21) == 9
    assert options.tokens_allowed(250, 256, shift=False, written=21) == 6
    assert options.tokens_allowed(200, 256, shift=True, written=30) == 0


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_body_is_read_or_refused_in_words(body: bytes):
    refused = _refusal(lambda: asked.decode(ChatRequest, body))
    assert refused is None or (refused.status == 400 and refused.text)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    )
)
def test_any_format_is_a_schema_or_refused(form: object):
    refused = _refusal(lambda: grammar.check_format(form))
    if refused is None:
        assert form in (None, "", "json") or isinstance(form, dict)
    elif refused.status == 400:
        assert json.loads(refused.text)["error"]["code"] == 400
    else:
        assert refused.status == 500


def test_an_image_is_refused_as_by_a_model_without_eyes():
    with pytest.raises(Refusal):
        asked.check_messages([Message("user", "look", images=["aGk="])])
