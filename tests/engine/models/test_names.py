"""What a person types or pastes is a model's name, or is told not to be one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import ServerError
from studio.engine.models.names import full_name, model_missing, model_name, pick
from studio.engine.offers import FoundModel


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("qwen3:4b", "qwen3:4b"),
        ("  qwen3  ", "qwen3"),
        ("ollama pull qwen3:4b", "qwen3:4b"),
        ("ollama run hf.co/owner/model-GGUF:Q4_K_M", "hf.co/owner/model-GGUF:Q4_K_M"),
        ("https://ollama.com/library/qwen3", "qwen3"),
        ("https://ollama.com/owner/model", "owner/model"),
        ("registry.example.com:5000/owner/m:v1.2", "registry.example.com:5000/owner/m:v1.2"),
        ("localhost:5000/m", "localhost:5000/m"),
    ],
)
def test_a_name_is_read_as_it_was_meant(written, name):
    assert model_name(written) == name


@pytest.mark.parametrize(
    "written",
    ["", "  ", "no such name!", "a b", "m:", ":4b", "m:4b:5", "../../etc/passwd", "-m", "é"],
)
def test_what_is_no_name_is_told_with_an_example(written):
    with pytest.raises(ServerError) as caught:
        model_name(written)
    assert "qwen3:4b" in caught.value.remedy


@pytest.mark.parametrize(
    ("written", "found"),
    [("m", "m:latest"), ("M:Latest", "M:Latest"), ("HF.co/o/X:q4", "hf.co/O/x:Q4"), ("m:1b", None)],
)
def test_capital_letters_decide_only_between_names_that_differ_in_nothing_else(written, found):
    models = [FoundModel(name) for name in ("M:Latest", "m:latest", "hf.co/O/x:Q4")]
    model = pick(written, models)
    assert (model.name if model else None) == found


def test_nobody_is_told_to_pull_what_is_no_name():
    assert model_missing("m:2b", "here", [FoundModel("m:1b")]).remedy == (
        "Run `ollama pull m:2b`, or choose m:1b."
    )
    assert model_missing("m; rm x", "here", [FoundModel("m:1b")]).remedy == "Choose m:1b."
    assert model_missing("$(x)", "here", []).remedy == "Correct the name."


def test_a_model_is_to_be_pulled_only_where_that_helps():
    found = [FoundModel("m:1b")]
    assert model_missing("m:2b", "here", found, is_to_run=False).remedy == "Choose m:1b."
    own = model_missing("m:2b", "embedded", found)
    assert own.problem == "The embedded server has no model 'm:2b'."
    assert own.remedy == "Choose m:1b."


@given(st.text(max_size=400))
def test_any_text_is_a_name_or_a_server_error(text):
    try:
        name = model_name(text)
    except ServerError:
        return
    assert model_name(name) == name
    assert full_name(full_name(name)) == full_name(name)
