"""The criteria of a project while they are edited: settings as controls, what passes, the words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.analysis.judged import difference
from studio.engine.metrics import CATALOGUE, build
from studio.engine.metrics.families import FAMILIES, family
from studio.engine.records import Criteria, MetricSpec, Threshold
from studio.engine.scoring_messages import ScoringEnded
from studio.ui.models.criteria import (
    PASSES,
    Chosen,
    chosen,
    criteria,
    mistakes,
    moved,
    passing_told,
    wrong,
)
from studio.ui.models.help_entries import Span, entries, spans
from studio.ui.models.judged import ended_told, judged_otherwise, standing
from studio.ui.models.metric_offers import definition, example_case, found, offers
from studio.ui.models.metric_settings import Kind, settings_of, stated, texts
from tests.ui import builders

NAMES = tuple(name for name in CATALOGUE if name != "own")


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_of_the_catalogue_has_a_family_a_definition_and_an_example(name: str):
    told = definition(Chosen(name))
    assert [entry.name for entry in told[:4]] == ["Question", "Formula", "Range", "Not scored"]
    assert not any("**" in span.text or "```" in span.text for each in told for span in each.spans)
    assert example_case(name).startswith("{")
    assert family(CATALOGUE[name]) in FAMILIES


@pytest.mark.parametrize("name", NAMES)
def test_settings_that_are_shown_and_read_again_are_the_same(name: str):
    rows = settings_of(CATALOGUE[name])
    assert stated(rows, texts(rows, {}), {}) == {}
    spelled_out = {row.name: row.default for row in rows}
    assert stated(rows, texts(rows, spelled_out), spelled_out) == spelled_out
    for row in rows:
        for choice in row.choices[1:]:
            found_here = stated(rows, {**texts(rows, {}), row.name: choice}, {})
            assert found_here == {row.name: choice}
            assert build((MetricSpec(name, found_here),))


def test_a_setting_is_edited_with_what_its_type_asks_for():
    kinds = {
        f"{name}.{row.name}": row.kind for name in NAMES for row in settings_of(CATALOGUE[name])
    }
    assert kinds["tool_call_accuracy.mode"] is Kind.CHOICE
    assert kinds["tool_call_accuracy.ignore_case"] is Kind.YES_NO
    assert kinds["recall_at_k.k"] is Kind.NUMBER
    assert kinds["recall_at_k.tool"] is Kind.TEXT
    assert kinds["trajectory_match.overrides"] is Kind.JSON
    optional = {row.name for row in settings_of(CATALOGUE["number_in_answer"]) if row.is_optional}
    assert optional == {"absolute"}


@given(st.text(max_size=30))
def test_whatever_is_typed_into_a_setting_is_kept_and_right_or_said_to_be_wrong(typed: str):
    for name, field in (("recall_at_k", "k"), ("trajectory_match", "overrides")):
        rows = settings_of(CATALOGUE[name])
        kept = stated(rows, {**texts(rows, {}), field: typed}, {})
        found_wrong = wrong(Chosen(name, kept))
        assert found_wrong or build((MetricSpec(name, kept),))
        assert not found_wrong or texts(rows, kept)[field].strip() == typed.strip()


@given(st.text(max_size=12))
def test_whatever_is_typed_as_a_threshold_is_a_number_or_said_to_be_wrong(typed: str):
    choice = (Chosen("steps", {}, typed),)
    made = criteria(choice)
    assert (made is None) == (PASSES in mistakes(choice)[0])
    if made is not None:
        assert len(made.passed) == bool(typed.strip())


def test_criteria_go_into_the_form_and_come_out_the_same():
    metrics = (MetricSpec("recall_at_k", {"k": 3}), MetricSpec("steps"))
    of = Criteria(metrics, (Threshold("recall_at_k(k=3)", 0.5), Threshold("steps", 12.0)))
    form = chosen(of)
    assert [each.passes for each in form] == ["0.5", "12"]
    assert criteria(form) == of


def test_a_threshold_goes_along_when_a_setting_changes_the_key():
    of = chosen(Criteria((MetricSpec("recall_at_k"),), (Threshold("recall_at_k", 0.5),)))
    made = criteria((replace(of[0], settings={"k": 9}),))
    assert made is not None
    assert made.passed == (Threshold("recall_at_k(k=9)", 0.5),)


def test_the_same_metric_with_the_same_settings_is_wrong_the_second_time():
    steps = Chosen("steps")
    assert mistakes((steps, steps))[0] == {}
    assert "twice" in mistakes((steps, steps))[1][""]
    k = [Chosen("recall_at_k", {"k": each}) for each in (1, 2)]
    assert not mistakes(tuple(k))[1]


def test_what_is_wrong_is_said_at_the_setting():
    choice = (Chosen("recall_at_k", {"k": "many", "tool": "search"}, "half"), Chosen("nonsense"))
    assert set(mistakes(choice)[0]) == {"k", PASSES}
    assert "number, 1 or more" in mistakes(choice)[0]["k"]
    assert "nonsense" in mistakes(choice)[1][""]
    assert criteria(choice) is None


def test_what_passes_is_told_in_one_sentence():
    both = (Chosen("tool_call_accuracy"), Chosen("steps"))
    assert passing_told(both).endswith("so a trial passes if Tool-call accuracy is 1.")
    limited = (both[0], replace(both[1], passes="5"))
    assert passing_told(limited) == "A trial passes if Steps is 5 or less."
    partly = (replace(both[0], passes="0.5"), both[1])
    assert passing_told(partly) == "A trial passes if Tool-call accuracy is 0.5 or more."
    assert passing_told((Chosen("steps"),)).startswith("No trial passes or fails")


def test_of_many_metrics_or_long_ones_a_few_words_are_told():
    overrides = {f"tool_{number}": "ignore" for number in range(99)}
    long = Chosen("trajectory_match", {"overrides": overrides})
    told = passing_told((long, *map(Chosen, NAMES[8:30])))
    assert len(told) < 300
    assert told.endswith("more.")
    assert len(difference((long.spec,), builders.plan().metrics)) < 400


@given(st.integers(0, 4), st.integers(0, 4))
def test_moving_a_metric_loses_none(place: int, to: int):
    choice = tuple(map(Chosen, NAMES[:5]))
    after = moved(choice, place, to)
    assert sorted(each.name for each in after) == sorted(each.name for each in choice)
    assert after[to] == choice[place]


def test_how_criteria_differ_is_told_in_the_words_of_the_metrics():
    run, now = builders.run(), builders.plan().criteria
    assert judged_otherwise(run, now) == ""
    assert standing(run, now) == ""
    fewer = Criteria(now.metrics[1:])
    assert judged_otherwise(run, fewer) == "with Tool-call accuracy"
    other = Criteria((*now.metrics[1:], MetricSpec("exact_match")))
    told = standing(run, other)
    assert told.endswith("other criteria: with Tool-call accuracy · without Exact match")
    assert difference(now.metrics, now.metrics[::-1]) == "in another order"
    stricter = replace(now, passed=(Threshold("steps", 3.0),))
    assert judged_otherwise(run, stricter) == "other settings or thresholds"
    assert "broken off" in standing(replace(run, is_half_judged=True), now)


def test_the_order_of_thresholds_is_no_other_criteria():
    passed = (Threshold("steps", 3.0), Threshold("tool_call_accuracy", 1.0))
    plan = replace(builders.plan(), passed=passed)
    run = replace(builders.run(), plan=plan)
    assert judged_otherwise(run, replace(plan.criteria, passed=passed[::-1])) == ""
    assert judged_otherwise(run, replace(plan.criteria, passed=passed[:1])) != ""


def test_how_scoring_again_ended_is_told_with_its_counts():
    ended = [ScoringEnded(3, 20, 20, "finished"), ScoringEnded(2, 5, 20, "stopped")]
    assert ended_told(ended[:1]) == "Run 3: 20 of 20 trials scored again"
    assert ended_told(ended) == "2 runs: 25 of 40 trials scored again, then stopped"
    failed = ScoringEnded(4, 0, 20, "failed", "It is under way.", "Wait.")
    assert ended_told([*ended, failed]) == "Run 4 was not scored again: It is under way. Wait."


def test_metrics_are_found_by_name_title_family_and_question():
    assert {each.chosen.name for each in found("k retrieval", offers())} >= {"recall_at_k"}
    assert [each.title for each in found("gaia", offers())] == ["GAIA quasi-exact match"]
    assert found("xylophone", offers()) == ()
    order = [FAMILIES.index(each.family) for each in offers()]
    assert order == sorted(order)


def test_a_word_that_no_name_holds_is_looked_for_in_the_definitions():
    def titles(text: str) -> list[str]:
        return [each.title for each in found(text, offers())]

    assert titles("tau-bench")[0] == "Required outputs"
    assert titles("calibration") == ["Stated confidence"]
    assert "Own metric" in titles("python")
    assert titles("hallucination") == ["AgentArch hallucination"], "a name goes before"
    assert titles("88.16") == [], "an example is no definition"


def test_marks_of_code_and_stress_are_taken_off_and_nothing_else():
    assert spans("a `b` *c* d") == (
        Span("a "), Span("b", "code"), Span(" "), Span("c", "strong"), Span(" d"),
    )  # fmt: skip
    assert "".join(each.text for each in spans("2 * 3 * 4 and x*y*z")) == "2 * 3 * 4 and x*y*z"
    [entry] = entries("- **Formula:** 1 if\n  it holds, else 0.\n")
    assert entry.name == "Formula"
    assert entry.spans == (Span("1 if it holds, else 0."),)
