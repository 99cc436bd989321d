"""A pull line by line, and what is said when one fails."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import ServerError
from studio.engine.models.pulling import Pull, advanced, cause


def after(*lines: dict) -> Pull:
    pull = Pull()
    for line in lines:
        pull = advanced(pull, json.dumps(line).encode())
    return pull


def test_the_bytes_of_all_layers_add_up():
    pull = after(
        {"status": "pulling manifest"},
        {"status": "pulling aa", "digest": "sha256:aa", "total": 100},
        {"status": "pulling aa", "digest": "sha256:aa", "total": 100, "completed": 100},
        {"status": "pulling bb", "digest": "sha256:bb", "total": 50, "completed": 20},
    )
    assert (pull.done, pull.total, pull.is_finished) == (120, 150, False)
    assert pull.status == "pulling bb"
    assert advanced(pull, b'{"status": "success"}').is_finished


def test_counts_that_are_none_are_left_out():
    pull = after(
        {"status": "x", "digest": "a", "total": -5, "completed": 1},
        {"status": "x", "digest": "a", "total": "5"},
        {"status": "x", "digest": 5, "total": 5},
        {"status": "x", "digest": "b", "total": 5, "completed": 99},
    )
    assert (pull.done, pull.total) == (5, 5)


@pytest.mark.parametrize(
    ("said", "problem", "remedy"),
    [
        ("write /root/.ollama/models/blobs/sha256-1: no space left on device", "disk is full",
         "goes on where it stopped"),
        ('pull model manifest: Get "https://registry.ollama.ai/v2/library/m/manifests/latest": '
         "dial tcp: lookup registry.ollama.ai on 127.0.0.53:53: no such host",
         "cannot reach the registry", "goes on where it stopped"),
        ("max retries exceeded: Get ...: unexpected EOF", "cannot reach the registry", "network"),
        ("pull model manifest: file does not exist", "no model of this name", "Correct the name"),
        ("pull model manifest: 412: \n\nThe model you are attempting to pull requires a newer "
         "version of Ollama.", "newer Ollama", "Update Ollama"),
        ("digest mismatch, file must be downloaded again", "damaged", "Pull it again"),
        ("pull model manifest: 401: unauthorized", "does not let", "ollama signin"),
        ("something nobody has seen", "something nobody has seen", "Pull it again"),
    ],
)  # fmt: skip
def test_a_failed_pull_is_told_in_one_sentence_with_what_to_do(said, problem, remedy):
    error = cause(said)
    assert problem in error.problem
    assert error.problem.endswith("."), "the remedy follows it"
    assert remedy in error.remedy


@given(st.lists(st.one_of(
    st.binary(max_size=40),
    st.dictionaries(
        st.sampled_from(["status", "digest", "total", "completed", "error", "x"]),
        st.one_of(st.none(), st.integers(), st.text(max_size=5), st.floats(), st.lists(st.none())),
    ).map(lambda said: json.dumps(said).encode()),
), max_size=8))  # fmt: skip
def test_whatever_a_server_says_is_progress_or_an_error_that_can_be_told(lines):
    pull = Pull()
    for line in lines:
        try:
            pull = advanced(pull, line)
        except ServerError:
            continue
        assert 0 <= pull.done <= pull.total
