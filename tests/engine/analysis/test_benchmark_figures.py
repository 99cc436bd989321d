"""The figures that benchmarks state, from the verdicts of their metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.analysis.benchmark_figures import Figure, benchmark_figures, counts_for
from studio.engine.grading import grade
from studio.engine.metrics import CATALOGUE
from studio.engine.metrics.answers.simpleqa import Grade, SimpleQAGrade
from studio.engine.metrics.ifeval import IFBench, IFEval


def of_grades(letters, **settings):
    metric = SimpleQAGrade(**settings)
    evidence = [grade(metric, {"grade": letter}).evidence for letter in letters]
    return {figure.name: figure for figure in benchmark_figures(metric, evidence)}


def test_the_figures_of_simpleqa():
    # The course's model B: 38 right of 100, 50 attempted.
    found = of_grades("A" * 38 + "B" * 12 + "C" * 50)
    assert found["correct"] == Figure("correct", 0.38, 38, 100)
    assert found["incorrect"] == Figure("incorrect", 0.12, 12, 100)
    assert found["not attempted"] == Figure("not attempted", 0.5, 50, 100)
    assert found["correct given attempted"] == Figure("correct given attempted", 0.76, 38, 50)
    assert found["F"].value == pytest.approx(0.5067, abs=1e-4)
    assert found["F"].words == "F 0.5067 (of 100)"
    assert found["penalised at 0.75"].value == pytest.approx((38 - 3 * 12) / 100)


def test_the_penalty_has_a_threshold():
    found = of_grades("AB", threshold=0.5)
    assert found["penalised at 0.5"].value == 0.0


def test_what_is_not_scored_still_counts_where_it_has_a_grade():
    found = of_grades(["A", "C", "nothing"], figure="correct_given_attempted")
    assert found["not attempted"] == Figure("not attempted", 0.5, 1, 2)
    assert found["correct given attempted"] == Figure("correct given attempted", 1.0, 1, 1)


def test_of_nothing_there_is_no_figure():
    assert [figure.value for figure in benchmark_figures(SimpleQAGrade(), [])] == [None] * 6
    assert [figure.value for figure in benchmark_figures(IFEval(), [{}])] == [None] * 4
    assert of_grades("CC")["correct given attempted"].value is None
    assert benchmark_figures(IFEval(), [])[0].words == "prompt level, strict none (0 of 0)"


COMMA = ("punctuation:no_comma", {})
TWO = ("length_constraints:number_words", {"num_words": 2, "relation": "at least"})


def case(response, *instructions):
    ids, kwargs = zip(*instructions, strict=True)
    return {"response": response, "instruction_id_list": list(ids), "kwargs": list(kwargs)}


CASES = [
    case("Gold shines.", COMMA, TWO),
    case("Gold, mostly.", COMMA, TWO),
    case("Sure, here:\nGold shines.", COMMA, TWO),  # loosely without its first line
    case("Gold", TWO),
    case("Gold shines.", COMMA, ("no:such_instruction", {})),
]


@pytest.mark.parametrize("kind", [IFEval, IFBench])
@pytest.mark.parametrize("settings", [{}, {"reading": "loose"}, {"level": "instruction"}])
def test_the_figures_of_instructions_are_the_same_whatever_the_metric_is_set_to(kind, settings):
    metric = kind(**settings)
    figures = benchmark_figures(metric, [grade(metric, each).evidence for each in CASES])
    assert [figure.words for figure in figures] == [
        "prompt level, strict 0.2500 (1 of 4)",
        "instruction level, strict 0.6250 (5 of 8)",
        "prompt level, loose 0.5000 (2 of 4)",
        "instruction level, loose 0.7500 (6 of 8)",
    ]


def test_other_metrics_state_a_mean():
    assert counts_for(CATALOGUE["bfcl_ast"]()) is None
    assert benchmark_figures(CATALOGUE["bfcl_ast"](), [{"grade": "correct"}]) == ()


@given(st.lists(st.sampled_from(list(Grade)), min_size=1))
def test_the_shares_are_of_all_and_f_is_between_its_parts(grades):
    figures = benchmark_figures(SimpleQAGrade(), [{"grade": each.value} for each in grades])
    correct, incorrect, open_, given, f, loss = (figure.value for figure in figures)
    assert correct + incorrect + open_ == pytest.approx(1)
    assert min(correct, given or 0) - 1e-9 <= f <= max(correct, given or 0) + 1e-9
    assert -3 * incorrect - 1e-9 <= loss <= correct + 1e-9
