"""Strict and loose, prompt and instruction level, and what happens to anything at all."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics import build
from studio.engine.metrics.ifeval import IFBench, IFEval
from studio.engine.metrics.instructions.asked import Asked, Unclear
from studio.engine.metrics.instructions.following import Manner, follow, variants
from studio.engine.metrics.instructions.registry import ALL, IFBENCH, IFEVAL
from studio.engine.records import Instruction, MetricSpec
from tests.engine.metrics.made_traces import query, trace

NO_COMMA = Instruction("punctuation:no_comma")
TWO_WORDS = Instruction("length_constraints:number_words", {"num_words": 2, "relation": "at least"})
UNKNOWN = Instruction("made:up")
UNCLEAR = Instruction("length_constraints:number_words", {"num_words": 2})
FITTING = {
    **dict.fromkeys(("N", "small_n", "frequency", "let_frequency", "capital_frequency"), 1),
    **dict.fromkeys(("num_sentences", "num_paragraphs", "num_words", "nth_paragraph", "m"), 1),
    **dict.fromkeys(("num_placeholders", "num_bullets", "num_highlights", "num_sections", "n"), 1),
    **dict.fromkeys(("min_words", "n_start"), 0),
    **dict.fromkeys(("max_words", "n_end", "percentage"), 50),
    **dict.fromkeys(("relation", "let_relation", "capital_relation"), "at least"),
    **dict.fromkeys(("keyword", "letter", "word", "first_word", "end_phrase", "sep"), "a"),
    **dict.fromkeys((f"keyword{number}" for number in range(1, 6)), "a"),
    **dict.fromkeys(("keywords", "forbidden_words"), ("a",)),
    **dict.fromkeys(("postscript_marker", "section_spliter", "reference_text"), "P.S."),
    "language": "en",
    "options": "a/b",
    "prompt_to_repeat": "say it",
}


def score(metric, answer, *instructions):
    return metric.score(query(instructions=instructions), trace(answer))


def test_the_prompt_level_wants_all_and_the_instruction_level_counts():
    prompt, instruction = IFEval(), IFEval(level="instruction")
    both = (NO_COMMA, TWO_WORDS)
    assert [score(metric, "a b", *both).value for metric in (prompt, instruction)] == [1.0, 1.0]
    assert [score(metric, "a, b", *both).value for metric in (prompt, instruction)] == [0.0, 0.5]
    assert "not punctuation:no_comma" in score(prompt, "a, b", *both).reason
    assert prompt.scale.is_binary
    assert not instruction.scale.is_binary


def test_the_loose_reading_accepts_what_stands_around_an_answer():
    quoted = Instruction("startend:quotation")
    for answer in ('Sure:\n"a"', '"a"\nDone.', 'Sure:\n"a"\nDone.', '*"a"*', 'Sure:\n**"a"**'):
        assert score(IFEval(), answer, quoted).value == 0.0
        assert score(IFEval(reading="loose"), answer, quoted).value == 1.0
    assert len(variants("a\nb\nc")) == 8


@pytest.mark.parametrize("instruction", [UNKNOWN, UNCLEAR])
def test_an_instruction_that_cannot_be_checked_is_not_scored_but_says_why(instruction):
    found = score(IFEval(), "a b", NO_COMMA, instruction)
    assert found.value is None
    assert instruction.id in found.reason
    # One that is broken decides the prompt level all the same.
    assert score(IFEval(), "a, b", NO_COMMA, instruction).value == 0.0
    assert score(IFEval(level="instruction"), "a, b", NO_COMMA, instruction).value is None


def test_ifeval_knows_its_own_instructions_and_ifbench_all():
    numbers = Instruction("count:numbers", {"N": 1})
    assert score(IFEval(), "1", numbers).value is None
    assert score(IFBench(), "1", numbers, NO_COMMA).value == 1.0
    assert set(ALL) == set(IFEVAL) | set(IFBENCH)
    assert len(ALL) == 83


def test_a_case_is_read_as_the_benchmarks_write_it():
    case = {
        "key": "1",
        "prompt": "…",
        "instruction_id_list": ["punctuation:no_comma", "count:numbers"],
        "kwargs": [None, {"N": 1, "keyword": None}],
        "response": "1 thing",
    }
    verdict = IFBench(mode="published").verdict_on(case)
    assert verdict.value == 1.0
    assert [each["is_followed"] for each in verdict.evidence["instructions"]] == [True, True]
    assert IFBench().verdict_on({**case, "response": None}).value == 0.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"instruction_id_list": "punctuation:no_comma"},
        {"instruction_id_list": []},
        {"instruction_id_list": [7]},
        {"kwargs": [{}, {}]},
        {"kwargs": {}},
        {"kwargs": ["x"]},
    ],
)
def test_a_case_that_is_none_says_what_is_wrong(wrong):
    case = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "response": "a"}
    with pytest.raises(ValueError, match="must be a list"):
        IFEval().verdict_on({**case, **wrong})


texts = st.text(st.characters(), max_size=60) | st.text(
    "aA1 .,!?*-\n\"'<>[](){}\ud800\x00é😀東", max_size=40
)


@settings(max_examples=60, deadline=None)
@given(texts, st.booleans())
def test_every_check_gives_a_verdict_on_any_text_and_strict_is_never_looser(text, is_published):
    asked = [Instruction(id, FITTING) for id in ALL]
    strict = follow(text, asked, Manner(is_loose=False, is_published=is_published))
    loose = follow(text, asked, Manner(is_loose=True, is_published=is_published))
    for one, other in zip(strict, loose, strict=True):
        # JSON may be nested too deeply, a letter drawn at random: then it is said.
        assert one.is_followed is not None or one.reason
        assert not (one.is_followed is True and other.is_followed is False)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(ALL)),
    st.dictionaries(
        st.sampled_from(sorted(FITTING)),
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | texts
        | st.lists(texts, max_size=2),
    ),
    st.booleans(),
)
def test_wrong_arguments_are_unclear_and_no_error(id, arguments, is_published):
    asked = Asked(arguments, is_published)
    with contextlib.suppress(Unclear):
        assert ALL[id]("Some text, of two lines.\n* a", asked) in (True, False)


@pytest.mark.parametrize("unit", ["\n", "[", "<<", "*", " \n", "Question 1 ", '"', "a", "P. "])
def test_a_long_answer_ends_with_a_verdict_or_a_reason(unit):
    [metric] = build([MetricSpec("ifbench", {"mode": "published"})])
    found = score(metric, unit * (60_000 // len(unit)) + "x", *map(Instruction, LINEAR))
    assert found.value is not None


LINEAR = ("detectable_format:title", "custom:mcq_count_length", "format:no_whitespace")


def test_a_pattern_among_the_keywords_cannot_hang_the_check(monkeypatch):
    monkeypatch.setattr("studio.engine.metrics.patterns.TIME_LIMIT", 0.3)
    keywords = Instruction("keywords:existence", {"keywords": ["(a+)+$"]})
    found = score(IFEval(mode="published"), "a" * 40 + "b", keywords)
    assert found.value is None
    assert "longer than" in found.reason


def test_two_of_three_instructions_followed_as_the_course_counts_them():
    case = {
        "instruction_id_list": [
            "length_constraints:number_words", "punctuation:no_comma", "startend:end_checker",
        ],
        "kwargs": [{"num_words": 60, "relation": "less than"}, {}, {"end_phrase": "Who is next?"}],
        "response": "Tin is light, soft and cheap. Who is next?",
    }  # fmt: skip
    assert grade(IFEval(level="instruction"), case).value == pytest.approx(2 / 3)
    assert grade(IFEval(), case).value == 0.0
