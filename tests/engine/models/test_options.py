"""Every option of a request is stated, and the same again whenever the run is run again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.models.options import STUDIO, completed, in_words, read_parameters, seed_of

SAMPLING = {
    "num_ctx", "temperature", "seed", "num_predict", "top_k", "top_p", "min_p", "typical_p",
    "repeat_penalty", "repeat_last_n", "presence_penalty", "frequency_penalty",
}  # fmt: skip


def test_what_nobody_states_is_stated_by_the_studio():
    options = completed({}, {})
    assert set(options) == SAMPLING
    assert (options["temperature"], options["seed"], options["num_ctx"]) == (0, 1, 4096)


def test_the_project_counts_before_the_model_and_the_model_before_the_server():
    of_model = {"top_k": 20, "top_p": 0.95, "temperature": 0.6, "num_ctx": 1024}
    options = completed({"top_p": 0.5, **STUDIO}, of_model)
    assert (options["top_p"], options["top_k"], options["min_p"]) == (0.5, 20, 0.0)
    assert (options["temperature"], options["num_ctx"]) == (0, 4096), "set whatever the model says"


def test_hardware_and_stop_texts_are_left_to_the_server_unless_they_are_stated():
    assert not {"num_gpu", "num_thread", "num_batch", "stop"} & set(completed({}, {}))
    assert completed({"num_gpu": 0, "stop": ["\n"]}, {})["num_gpu"] == 0


def test_a_seed_of_another_each_time_is_drawn_once_and_known_from_then_on():
    seeds = {completed({"seed": -1}, {})["seed"] for _ in range(5)}
    assert min(seeds) >= 0
    assert len(seeds) > 1


@given(st.integers(0, 2**32 - 2), st.integers(1, 1000))
def test_trials_of_a_query_have_seeds_of_their_own_that_a_server_takes(seed: int, trials: int):
    found = [seed_of({"seed": seed}, number) for number in range(1, trials + 1)]
    assert found[0] == seed
    assert len(set(found)) == trials
    assert all(each is not None and 0 <= each <= 2**32 - 2 for each in found)


@pytest.mark.parametrize("options", [{}, {"seed": None}, {"seed": -1}, {"seed": "7"}])
def test_options_of_older_runs_may_have_no_seed(options: dict[str, Any]):
    assert seed_of(options, 3) is None


def test_the_numbers_of_a_models_own_file_are_read():
    text = (
        'stop                           "<|im_end|>"\ntop_k                          20\n'
        "top_p                          0.95\nmin_p                          0\n"
        "num_gpu                        99\nrepeat_penalty                 one\n"
        "presence_penalty               NaN\nrepeat_last_n                  1e30\n"
    )
    assert read_parameters(text) == {"top_k": 20, "top_p": 0.95, "min_p": 0.0}


@given(st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text())))
def test_whatever_a_server_says_of_parameters_is_no_mistake_of_ours(said: Any):
    assert set(read_parameters(said)) <= SAMPLING


def test_options_are_told_with_those_first_that_people_ask_for():
    told = in_words({"top_k": 40, "top_p": 0.9, "seed": 1, "temperature": 0, "num_ctx": 4096})
    assert told == "num_ctx 4,096, temperature 0, seed 1, top_k 40, top_p 0.9"
