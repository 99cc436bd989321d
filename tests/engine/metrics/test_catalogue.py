"""The catalogue: names and settings in, metrics out, and a help page that leaves nothing out."""

import math
import re

import msgspec
import pytest

from studio.engine.errors import StudioError
from studio.engine.metrics import CATALOGUE, Metric, build, check_settings
from studio.engine.metrics.help import documented, help_text
from studio.engine.project.expected_part import EXPECTED
from studio.engine.project.located import Mistakes
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import MetricSpec


def test_every_metric_can_be_built_and_is_known_by_its_name():
    metrics = build([MetricSpec(name) for name in CATALOGUE])
    assert [metric.key for metric in metrics] == list(CATALOGUE)
    assert all(metric.title and metric.version for metric in metrics)


def test_settings_that_are_not_the_default_show_in_key_and_label():
    published, prompt, flexible = build(
        [
            MetricSpec("number_in_answer", {"mode": "published", "absolute": 0.01}),
            MetricSpec("tokens", {"count": "prompt"}),
            MetricSpec("ragas_tool_call_accuracy", {"order": "flexible"}),
        ]
    )
    assert published.key == "number_in_answer(mode=published,absolute=0.01)"
    assert published.label == "Number in answer (published, absolute 0.01)"
    assert prompt.key == "tokens(count=prompt)"
    assert flexible.label == "RAGAS ToolCallAccuracy (flexible)"


def test_a_default_that_is_written_out_makes_the_same_metric():
    plain, written = MetricSpec("tokens"), MetricSpec("tokens", {"count": "total"})
    assert build([plain]) == build([written])
    assert build([written])[0].key == "tokens"


def test_the_same_metric_twice_is_refused():
    with pytest.raises(StudioError, match="'tokens' is listed twice"):
        build([MetricSpec("tokens"), MetricSpec("tokens", {"count": "total"})])


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (MetricSpec("token"), "There is no metric 'token'. Did you mean 'tokens'"),
        (MetricSpec("Tool-Call-Accuracy"), "Did you mean 'tool_call_accuracy'"),
        (MetricSpec("zzz"), "There are: tool_call_accuracy"),
        (MetricSpec("tokens", {"cout": "prompt"}), "has no setting 'cout'. Did you mean 'count'?"),
        (MetricSpec("steps", {"a": 1}), "It has no settings."),
        (MetricSpec("tokens", {"count": "all"}), "one of 'prompt', 'reply', 'total'"),
        (MetricSpec("number_in_answer", {"absolute": "1"}), "a number, 0 or more"),
        (MetricSpec("recall_at_k", {"tool": "\ud800"}), "text"),
        (MetricSpec("recall_at_k", {"k": "\ud800"}), "a whole number, 1 or more, 10000 at most"),
        (MetricSpec("own", {"time_limit": 0}), "a number, above 0, 3600 at most"),
        (MetricSpec("number_in_answer", {"relative": -1}), "a number, 0 or more"),
        (MetricSpec("number_in_answer", {"relative": math.nan}), "a number, 0 or more"),
        (MetricSpec("number_in_answer", {"relative": math.inf}), "a number, 0 or more"),
        (MetricSpec("number_in_answer", {"rounding": 1}), "true or false"),
        (MetricSpec("number_in_answer", {"rounding": None}), "true or false"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(spec, problem):
    assert problem in (check_settings(spec) or "")
    with pytest.raises(StudioError):
        build([spec])


def test_good_settings_have_no_problem():
    assert check_settings(MetricSpec("number_in_answer", {"absolute": 1, "in_range": True})) is None
    assert check_settings(MetricSpec("number_in_answer", {"absolute": None})) is None


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_help_page_explains_each_metric_and_each_setting(name):
    text = help_text(name)
    for part in ("Question", "Formula", "Range", "Not scored", "Settings", "Source", "Traps"):
        assert f"**{part}:**" in text
    assert "**Published and corrected:**" in text
    for field in msgspec.structs.fields(CATALOGUE[name]):
        assert f"`{field.name}`" in text


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_the_help_page_writes_into_a_query_can_be_written_there(name):
    said = re.search(r"\*\*In a query:\*\*(.*?)(?=\n- \*\*)", help_text(name), re.DOTALL)
    for snippet in re.findall(r"`([a-z_]+: [^`]+)`", said[1] if said else ""):
        mistakes = Mistakes("queries.yaml")
        stated = read_yaml(" ".join(snippet.split()), mistakes)
        assert mistakes.problems == []
        assert set(stated) <= set(EXPECTED)


@pytest.mark.parametrize("name", CATALOGUE)
def test_no_setting_hides_what_every_metric_has(name):
    hidden = {field.name for field in msgspec.structs.fields(CATALOGUE[name])} & set(dir(Metric))
    # What the values of a project's own metric are, only the project can say.
    assert hidden == ({"lowest", "highest", "better"} if name == "own" else set())


def test_the_help_page_explains_nothing_else():
    with pytest.raises(KeyError):
        help_text("no_such_metric")
    assert set(documented()) == set(CATALOGUE)
