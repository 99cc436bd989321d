"""What is measured is written to `project.yaml`, and everything else in it stays as it was."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import ProjectError
from studio.engine.project import load, save_criteria
from studio.engine.records import Criteria, MetricSpec, Threshold
from tests.engine import sample

WRITTEN = """\
# What runs.
name: Gold
metrics:
  # calls
  - tool_call_accuracy   # the thesis
  - tokens: {count: prompt}

  # answers
  - number_in_answer:
      # close
      absolute: 0.1
  - steps
# the end
passed:
  tool_call_accuracy: 1.0  # all
run: {trials: 2}
"""
CALLS = MetricSpec("tool_call_accuracy")
TOKENS = MetricSpec("tokens", {"count": "prompt"})
NUMBER = MetricSpec("number_in_answer", {"absolute": 0.1})
STEPS = MetricSpec("steps")
ALL_CALLS = Threshold("tool_call_accuracy", 1.0)
BEFORE = Criteria((CALLS, TOKENS, NUMBER, STEPS), (ALL_CALLS,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample.write(tmp_path, "http://127.0.0.1:1")
    (tmp_path / "project.yaml").write_text(WRITTEN)
    return tmp_path


def saved(folder: Path, criteria: Criteria, text: str | None = None) -> str:
    """What the file is after that; it reads as those criteria."""
    file = folder / "project.yaml"
    if text is not None:
        file.write_bytes(text.encode())
    save_criteria(folder, criteria)
    assert load(folder).project.criteria == criteria
    return file.read_bytes().decode()


def test_what_stands_there_already_is_not_written_again(folder: Path):
    assert saved(folder, BEFORE) == WRITTEN


def test_a_metric_more_stands_below_the_others_and_nothing_else_changes(folder: Path):
    more = Criteria((*BEFORE.metrics, MetricSpec("ifeval", {"level": "prompt"})), (ALL_CALLS,))
    added = WRITTEN.replace("  - steps\n", "  - steps\n  - ifeval: {level: prompt}\n")
    assert saved(folder, more) == added


def test_a_metric_that_goes_leaves_its_comments(folder: Path):
    after = saved(folder, Criteria((TOKENS, STEPS)))
    assert "  # calls\n  - tokens: {count: prompt}\n\n  # answers\n  - steps\n# the end\n" in after
    assert "passed" not in after
    assert after.endswith("run: {trials: 2}\n")


def test_metrics_change_their_order_with_their_comments(folder: Path):
    after = saved(folder, Criteria((STEPS, NUMBER, TOKENS, CALLS), (ALL_CALLS,)))
    places = [after.index(part) for part in ("- steps", "# close", "- tokens", "# the thesis")]
    assert places == sorted(places)


def test_other_settings_change_in_their_place(folder: Path):
    closer = MetricSpec("number_in_answer", {"absolute": 0.01, "rounding": False})
    after = saved(folder, Criteria((CALLS, TOKENS, closer, STEPS), (ALL_CALLS,)))
    assert "      # close\n      absolute: 0.01\n      rounding: false\n  - steps" in after


def test_a_threshold_keeps_the_way_it_is_written(folder: Path):
    more = Criteria(BEFORE.metrics, (ALL_CALLS, Threshold("steps", 4.0)))
    after = saved(folder, more)
    assert "  tool_call_accuracy: 1.0" in after
    assert "  steps: 4\n" in after


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing yet",
        "name: Gold",
        "name: Gold\n# the end\n",
        "{name: Gold, metrics: [steps]}\n",
        "metrics: [tool_call_accuracy, steps] # few\nname: Gold\n",
        "metrics:\n- steps\n\n- seconds\npassed: {steps: 3}\nname: Gold\n",
        "name: Gold\r\nmetrics:\r\n  - steps\r\n",
        "\ufeffname: Gold\nmetrics: []\n",
        "metrics: # none\nname: Gold\n",
    ],
)
@pytest.mark.parametrize("criteria", [BEFORE, Criteria((STEPS,)), Criteria(())])
def test_a_file_may_be_written_in_any_way(folder: Path, text: str, criteria: Criteria):
    after = saved(folder, criteria, text)
    assert after.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("\r\n" in after) == ("\r\n" in text)
    assert ("name: Gold" in after) == ("name: Gold" in text)


def test_a_threshold_of_what_is_not_measured_is_refused_and_nothing_written(folder: Path):
    with pytest.raises(ProjectError, match="does not measure"):
        save_criteria(folder, Criteria((STEPS,), (ALL_CALLS,)))
    assert (folder / "project.yaml").read_text() == WRITTEN


@given(
    st.lists(
        st.sampled_from(
            [CALLS, TOKENS, NUMBER, STEPS, MetricSpec("loop"), MetricSpec("answer_contains"),
             MetricSpec("own", {"function": "polite", "highest": None})]
        ),
        unique_by=lambda spec: spec.name,
    )
)  # fmt: skip
def test_any_choice_is_written_and_every_comment_kept(tmp_path_factory, metrics):
    folder = sample.write(tmp_path_factory.mktemp("any"), "http://127.0.0.1:1")
    (folder / "metrics.py").write_text("def polite(query, trace): return 1")
    after = saved(folder, Criteria(tuple(metrics)), WRITTEN)
    if metrics:
        assert all(comment in after for comment in ("# calls", "# answers", "# the end"))
    assert saved(folder, BEFORE).startswith("# What runs.\nname: Gold\n")


@pytest.mark.parametrize(
    ("metric", "problem"),
    [
        ("own", "The metric own names no function."),
        ("own: {function: polit}", 'metrics.py has no metric "polit".'),
        ("own: {function: polite, better: yes}", "cannot be"),
        ("own: {function: polite, time_limit: 0}", "cannot be"),
    ],
)
def test_a_mistake_in_naming_an_own_metric_is_found_without_running_it(
    folder: Path, metric: str, problem: str
):
    (folder / "metrics.py").write_text("1 / 0\ndef polite(query, trace): return 1")
    (folder / "project.yaml").write_text(f"name: Gold\nmetrics:\n  - steps\n  - {metric}\n")
    with pytest.raises(ProjectError) as raised:
        load(folder)
    [found] = raised.value.problems
    assert (found.file, found.line) == ("project.yaml", 4)
    assert problem in found.problem


def test_a_mistake_in_metrics_py_is_one_of_the_project(folder: Path):
    (folder / "metrics.py").write_text("def polite(trace, query): return 1")
    with pytest.raises(ProjectError) as raised:
        load(folder)
    assert raised.value.problems[0].file == "metrics.py"


def test_a_project_says_which_metrics_are_its_own(folder: Path):
    (folder / "metrics.py").write_text('def polite(query, trace):\n    """Thanks?"""\n    return 1')
    (folder / "tools.py").unlink()
    (folder / "queries.jsonl").write_text('{"id": "a", "query": "b"}\n')
    loaded = load(folder).project
    assert [(own.name, own.description) for own in loaded.own_metrics] == [("polite", "Thanks?")]
    assert loaded.has_code
