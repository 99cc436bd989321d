"""IFEval's instructions: what follows each, in both modes, and where the modes differ."""

import pytest

from studio.engine.metrics.instructions.asked import Asked, Unclear
from studio.engine.metrics.instructions.registry import IFEVAL

AT_LEAST = {"relation": "at least"}
LESS = {"relation": "less than"}

BOTH = [
    ("keywords:existence", {"keywords": ["gold", "tin"]}, "Gold and TIN.", True),
    ("keywords:existence", {"keywords": ["gold", "tin"]}, "Gold.", False),
    ("keywords:frequency", {"keyword": "gold ", "frequency": 2, **AT_LEAST}, "gold, Gold", True),
    ("keywords:frequency", {"keyword": "gold", "frequency": 2, **LESS}, "gold, Gold", False),
    ("keywords:forbidden_words", {"forbidden_words": ["tin"]}, "setting", True),
    ("keywords:forbidden_words", {"forbidden_words": ["tin"]}, "A tin.", False),
    (
        "keywords:letter_frequency",
        {"letter": "A", "let_frequency": 2, "let_relation": "at least"},
        "aA",
        True,
    ),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, **AT_LEAST},
        "Hi Mr. X. Go.",
        True,
    ),
    ("length_constraints:number_sentences", {"num_sentences": 2, **LESS}, "Hi Mr. X. Go.", False),
    ("length_constraints:number_words", {"num_words": 2, **AT_LEAST}, "one two", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "a\n***\nb", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "***\na *** b\n***", True),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "a******b", False),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Gold"},
        'One.\n\n"gold\'s worth"',
        True,
    ),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a] [b]", True),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a\n] [b]", False),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "x\np. s. y", True),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "x\nP.S. y", False),
    # Another marker may stand in any line, not in the last one alone.
    ("detectable_content:postscript", {"postscript_marker": "NB"}, "nb y\n\nz", True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* a\n- b", True),
    ("detectable_format:constrained_response", {}, "So: My answer is maybe.", True),
    ("detectable_format:constrained_response", {}, "my answer is maybe.", False),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*a* and *b*", True),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Section", "num_sections": 2},
        "Section 1\na\nSection 2\nb",
        True,
    ),
    ("detectable_format:json_format", {}, '```json\n{"a": 1}\n```', True),
    ("detectable_format:json_format", {}, "{'a': 1}", False),
    ("detectable_format:title", {}, "<<Gold>>", True),
    ("detectable_format:title", {}, "<<>> <<\n>>", False),
    ("combination:two_responses", {}, "a******b", True),
    ("combination:two_responses", {}, "a******a", False),
    ("combination:two_responses", {}, "a************b", False),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Say it. "}, " say IT. Yes.", True),
    ("startend:end_checker", {"end_phrase": "The end."}, 'Well, "the END."', True),
    ("startend:quotation", {}, ' "a" ', True),
    ("startend:quotation", {}, '"', False),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        "I am a WELL-KNOWN man.",
        True,
    ),
    ("change_case:english_lowercase", {}, "the weather is nice today, is it not?", True),
    ("change_case:english_lowercase", {}, "The weather is nice today.", False),
    ("change_case:english_lowercase", {}, "das wetter ist heute wirklich sehr schön.", False),
    ("language:response_language", {"language": "de"}, "Das Wetter ist heute sehr schön.", True),
    ("punctuation:no_comma", {}, "no comma", True),
    ("punctuation:no_comma", {}, "a, comma", False),
]

APART = [
    # id, arguments, text, published, corrected
    ("keywords:existence", {"keywords": ["man"]}, "woman", True, False),
    ("keywords:existence", {"keywords": ["c++"]}, "I like C++.", None, True),
    ("keywords:frequency", {"keyword": "a.", "frequency": 1, **AT_LEAST}, "ab", True, False),
    ("keywords:forbidden_words", {"forbidden_words": ["c.t"]}, "a cat", False, True),
    ("length_constraints:number_words", {"num_words": 2, **LESS}, "don't", False, True),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "gold"},
        "One.\n\n\n\nGold.",
        False,
        True,
    ),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "* a\n---", False, True),
    ("detectable_format:number_bullet_lists", {"num_bullets": 1}, "*\n* a", True, True),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "**a**", False, False),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        "* x **a**",
        True,
        False,
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Day", "num_sections": 1},
        "Sunday Holiday1",
        False,
        False,
    ),
    ("detectable_format:json_format", {}, "NaN", True, False),
    ("detectable_format:json_format", {}, "5", True, False),
    ("change_case:english_capital", {}, "IT IS A NICE DAY", None, True),
    ("language:response_language", {"language": "en"}, "123 456", True, False),
    ("punctuation:no_comma", {}, "金、銀", True, False),
    ("startend:quotation", {}, "“a”", False, True),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_frequency": 1, "let_relation": "at least"},
        "#abc",
        None,
        True,
    ),
]


def verdict(id, arguments, text, mode):
    try:
        return IFEVAL[id](text, Asked(arguments, mode == "published"))
    except Unclear:
        return None


@pytest.mark.parametrize("mode", ["published", "corrected"])
@pytest.mark.parametrize(("id", "arguments", "text", "is_followed"), BOTH)
def test_both_modes_agree_on_what_the_instruction_says(id, arguments, text, is_followed, mode):
    assert verdict(id, arguments, text, mode) is is_followed


@pytest.mark.parametrize(("id", "arguments", "text", "published", "corrected"), APART)
def test_the_published_defects_can_be_had_and_are_mended(id, arguments, text, published, corrected):
    assert verdict(id, arguments, text, "corrected") is corrected
    if published is not None:
        assert verdict(id, arguments, text, "published") is published


def test_every_instruction_of_ifeval_is_shown_to_be_followed_and_broken():
    assert {id for id, *_ in BOTH + APART} == set(IFEVAL)
    assert len(IFEVAL) == 25


def test_a_letter_drawn_at_random_decides_only_where_every_letter_decides_alike():
    ask = {"letter": "#", "let_frequency": 1, "let_relation": "at least"}
    assert verdict("keywords:letter_frequency", ask, "12", "published") is False
    every = "abcdefghijklmnopqrstuvwxyz"
    assert verdict("keywords:letter_frequency", ask, every, "published") is True
    with pytest.raises(Unclear, match="draws a letter at random"):
        IFEVAL["keywords:letter_frequency"]("ab", Asked(ask, is_published=True))
