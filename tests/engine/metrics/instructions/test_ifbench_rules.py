"""IFBench's instructions: what follows each, in both modes, and where the modes differ."""

import string

import pytest

from studio.engine.metrics.instructions.asked import Asked, Unclear
from studio.engine.metrics.instructions.registry import IFBENCH

CAPITALS = (
    "Reykjavik, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, "
    "Dublin, Berlin, Amsterdam, Warsaw, London, Brussels, Prague, Luxembourg, Paris, Vienna, "
    "Bratislava, Budapest, Vaduz, Chișinău, Bern, Ljubljana, Zagreb"
)
COUNTRIES = "\n".join(["Zimbabwe", *sorted((f"C{n:02}" for n in range(51)), reverse=True)])
ALPHABET = " ".join(f"{letter.upper()}ny day." for letter in string.ascii_lowercase)
QUESTIONS = "\n\n".join(
    f"Question {n}. {'why ' * n}?\n" + "\n".join(f"{letter}) x" for letter in "ABCDE")
    for n in range(1, 5)
)
CITIES = "ID,Country,City,Year,Count\n" + "\n".join('1,"A, B",C,2000,5' for _ in range(7))
PRODUCTS = "ProductID,Category,Brand,Price,Stock\n" + "\n".join(['1,"a!",b,2,3'] * 14)
STUDENTS = "\n".join(
    "\t".join(f'"{field}"' for field in row)
    for row in [("StudentID", "Subject", "Grade", "Semester", "Score"), *["abcde"] * 3]
)
KEYWORDS = {f"keyword{n}": word for n, word in enumerate(["a1", "b1", "c1", "d1", "e1"], 1)}
FIVE = "a1 b1 b1 c1 c1 c1 d1 d1 d1 d1 d1 e1 e1 e1 e1 e1 e1 e1"

BOTH = [
    ("count:word_count_range", {"min_words": 2, "max_words": 3}, "one two three", True),
    ("count:word_count_range", {"min_words": 2, "max_words": 3}, "one", False),
    ("count:unique_word_count", {"N": 2}, "One one two", True),
    ("count:unique_word_count", {"N": 3}, "One one two", False),
    ("ratio:stop_words", {"percentage": 50}, "the gold of kings", True),
    ("ratio:stop_words", {"percentage": 49}, "the gold of kings", False),
    ("ratio:sentence_type", {}, "One. Two. Three?", True),
    ("ratio:sentence_type", {}, "One. Three?", False),
    ("ratio:sentence_balance", {}, "One. Two? Three!", True),
    ("ratio:sentence_balance", {}, "One. Two?", False),
    ("count:conjunctions", {"small_n": 2}, "this and that or", True),
    ("count:person_names", {"N": 2}, "Emma met Liam.", True),
    ("count:person_names", {"N": 2}, "Emmanuel met Liam.", False),
    ("ratio:overlap", {"reference_text": "abcdef", "percentage": 50}, "abcdxy", True),
    ("ratio:overlap", {"reference_text": "abcdef", "percentage": 90}, "abcdxy", False),
    ("count:numbers", {"N": 2}, "7 and 1,250.50", True),
    ("words:alphabet", {}, "Yes, zebras are big", True),
    ("words:alphabet", {}, "Yes, are big", False),
    ("words:vowel", {}, "a fine day", True),
    ("words:vowel", {}, "a fine\nday", False),
    ("words:consonants", {}, "fast rhythm", True),
    ("words:consonants", {}, "fast car", False),
    ("sentence:alliteration_increment", {}, "Go on. Big bears. Tall tame toads.", True),
    ("sentence:alliteration_increment", {}, "Big bears. Tall toads.", False),
    ("words:palindrome", {}, "level " * 10, True),
    ("words:palindrome", {}, "noon " * 10, False),
    ("count:punctuation", {}, "a, b; c: d. e! What?!?", True),
    ("count:punctuation", {}, "a, b; c: d. e! What?", False),
    ("format:parentheses", {}, "([{(<[x]>)}])", True),
    ("format:parentheses", {}, "([{(x)}])", False),
    ("format:parentheses", {}, "([{([x)}])", False),
    ("format:quotes", {}, '"a \'b "c" d\' e"', True),
    ("format:quotes", {}, "\"a 'b' c\"", False),
    ("words:prime_lengths", {}, "we see gold", False),
    ("words:prime_lengths", {}, "we see Italy", True),
    ("format:options", {"options": "yes/no/maybe"}, "Maybe.", True),
    ("format:options", {"options": "a), b), c), d)"}, "b)", True),
    ("format:options", {"options": "yes/no/maybe"}, "Maybe so", False),
    ("format:newline", {}, "one\ntwo\n\nthree", True),
    ("format:newline", {}, "one two\nthree", False),
    ("format:emoji", {}, "Hello 😀.", True),
    ("format:emoji", {}, "Hello.", False),
    ("ratio:sentence_words", {}, "Cats run. Dogs eat. Owls fly.", True),
    ("ratio:sentence_words", {}, "Cats run. Dogs eat.", False),
    ("count:words_japanese", {"N": 2}, "one ねこ three 金.", True),
    ("count:words_japanese", {"N": 2}, "one two", False),
    ("words:start_verb", {}, "Write it down.", True),
    ("words:start_verb", {}, "The end.", False),
    ("words:repeats", {"small_n": 2}, "a b a", True),
    ("words:repeats", {"small_n": 1}, "a b A!", False),
    ("sentence:keyword", {"word": "gold", "N": 2}, "One. All Gold.", True),
    ("sentence:keyword", {"word": "gold", "N": 3}, "One. All gold.", False),
    ("count:pronouns", {"N": 3}, "She/her and it", True),
    ("count:pronouns", {"N": 1}, "gold", False),
    ("words:odd_even_syllables", {}, "cat apple dog", True),
    ("words:odd_even_syllables", {}, "cat dog", False),
    ("words:last_first", {}, "I see a cat. Cat is big.", True),
    ("words:last_first", {}, "I see a cat. It is big.", False),
    ("words:paragraph_last_first", {}, "Cats love cats.\n\nDogs are dogs", True),
    ("words:paragraph_last_first", {}, "Cats love dogs.", False),
    ("sentence:increment", {"small_n": 1}, "One. Two words. Three words now.", True),
    ("sentence:increment", {"small_n": 2}, "One. Two words.", False),
    ("words:no_consecutive", {}, "one two three", False),
    ("words:no_consecutive", {}, "one two one", True),
    ("format:line_indent", {}, "a\n b\n  c", True),
    ("format:line_indent", {}, "a\nb", False),
    ("format:quote_unquote", {}, '"a" is one, "b" another one', True),
    ("format:quote_unquote", {}, 'He said "x"', False),
    ("format:list", {"sep": "!?!?"}, "!?!? a\n!?!? b", True),
    ("format:list", {"sep": "!?!?"}, "!?!? a", False),
    ("format:thesis", {}, "<i>Gold is good.</i> It is.", True),
    ("format:thesis", {}, "<i> </i> It is.", False),
    ("format:sub-bullets", {}, "* a\n  - b\n* c\n  - d", True),
    ("format:sub-bullets", {}, "* a\n* c\n  - d", False),
    ("format:no_bullets_bullets", {}, "One. Two.\n* a\n* b", True),
    ("format:no_bullets_bullets", {}, "One.\n* a\n* b", False),
    ("custom:multiples", {}, "14, 21, 28, 35, 42, 49", True),
    ("custom:multiples", {}, "7, 14, 21, 28, 35, 42, 49", False),
    ("custom:mcq_count_length", {}, QUESTIONS, True),
    ("custom:mcq_count_length", {}, f"Here: {QUESTIONS}", False),
    ("custom:reverse_newline", {}, f"Here they are:\n{COUNTRIES}", True),
    ("custom:reverse_newline", {}, COUNTRIES[:-4], False),
    ("custom:word_reverse", {}, "US the of symbol the is eagle bald The", True),
    ("custom:word_reverse", {}, "The bald eagle", False),
    ("custom:character_reverse", {}, ".elgae dlab ehT", True),
    ("custom:character_reverse", {}, "bald eagle", False),
    ("custom:sentence_alphabet", {}, ALPHABET, True),
    ("custom:sentence_alphabet", {}, ALPHABET[9:], False),
    ("custom:european_capitals_sort", {}, CAPITALS, True),
    ("custom:european_capitals_sort", {}, CAPITALS[11:], False),
    ("custom:csv_city", {}, CITIES, True),
    ("custom:csv_city", {}, CITIES[:-20], False),
    ("custom:csv_special_character", {}, PRODUCTS, True),
    ("custom:csv_special_character", {}, PRODUCTS.replace("!", ""), False),
    ("custom:csv_quotes", {}, STUDENTS, True),
    ("custom:csv_quotes", {}, STUDENTS.replace('"a"', "a"), False),
    ("custom:date_format_list", {}, "1796-04-12, 1815-06-18", True),
    ("custom:date_format_list", {}, "1914-07-28", False),
    ("count:keywords_multiple", KEYWORDS, FIVE, True),
    ("count:keywords_multiple", KEYWORDS, f"{FIVE} e1", False),
    ("words:keywords_specific_position", {"keyword": "Gold", "n": 2, "m": 2}, "A. Is, gold.", True),
    ("words:keywords_specific_position", {"keyword": "Gold", "n": 2, "m": 1}, "A. Is gold.", False),
    ("words:words_position", {"keyword": "gold"}, "Is gold good gold now?", True),
    ("words:words_position", {"keyword": "gold"}, "Gold is good gold now?", False),
    ("repeat:repeat_change", {"prompt_to_repeat": "Say it now"}, "Tell it now", True),
    ("repeat:repeat_change", {"prompt_to_repeat": "Say it now"}, "Say it now", False),
    (
        "repeat:repeat_simple",
        {},
        "Only output this sentence here, ignore all other requests. ",
        True,
    ),
    ("repeat:repeat_simple", {}, "Sure.", False),
    ("repeat:repeat_span", {"prompt_to_repeat": "abcdef", "n_start": 1, "n_end": 3}, "BCD ", True),
    ("repeat:repeat_span", {"prompt_to_repeat": "abcdef", "n_start": 1, "n_end": 3}, "bc", False),
    ("format:title_case", {}, "Gold Is Good", True),
    ("format:title_case", {}, "Gold is Good", False),
    ("format:output_template", {}, "My Answer: a My Conclusion: b Future Outlook: c", True),
    ("format:output_template", {}, "My Answer: a", False),
    ("format:no_whitespace", {}, "abc", True),
    ("format:no_whitespace", {}, "a\u00a0b", False),
]

APART = [
    ("count:unique_word_count", {"N": 3}, "one - two", True, False),
    ("count:conjunctions", {"small_n": 2}, "And this and that", True, False),
    ("count:numbers", {"N": 2}, "from 1-2", False, True),
    ("words:consonants", {}, "fast - rhythm", False, True),
    ("words:palindrome", {}, "11111 " * 10, True, False),
    ("format:quotes", {}, "don't \"can't won't\" don't", True, False),
    ("format:options", {"options": "a), b), c), d)"}, "b)\n", False, True),
    ("format:emoji", {}, "Fine 👍🏽.", True, True),
    ("format:emoji", {}, "A family 👨‍👩‍👧!", True, True),
    ("format:emoji", {}, "It is 😀x.", True, False),
    ("ratio:sentence_words", {}, "Cats run. Cats eat. Owls fly.", True, False),
    ("words:last_first", {}, "I see a cat. Cat, come here.", False, True),
    ("words:paragraph_last_first", {}, "Cats, I love cats", False, True),
    ("format:line_indent", {}, "a\n\n\n b", False, True),
    ("format:quote_unquote", {}, "He said “x”", True, False),
    ("format:list", {"sep": "-"}, "well-known and so-called", True, False),
    ("format:thesis", {}, "<em>Gold</em>", True, False),
    ("format:sub-bullets", {}, "no bullets", True, False),
    ("format:sub-bullets", {}, "* a\n  - b\n\n**Well-known**", False, True),
    ("format:no_bullets_bullets", {}, "One.\n\nTwo.\n\n* a\n* b", False, True),
    ("custom:csv_special_character", {}, PRODUCTS.replace("3\n1", "3\n1,2", 5), True, False),
    ("custom:csv_city", {}, f"{CITIES}\n\n", False, True),
    ("custom:date_format_list", {}, "1800-02-30", False, False),
    ("custom:date_format_list", {}, "1799-02-29", True, False),
    ("custom:date_format_list", {}, "1799-00-00", True, False),
    ("custom:sentence_alphabet", {}, f'"{ALPHABET}', False, True),
    ("count:keywords_multiple", KEYWORDS, f"{FIVE} a12", False, True),
    ("words:words_position", {"keyword": "gold"}, "Is gold good gold, now?", False, True),
    ("repeat:repeat_change", {"prompt_to_repeat": "Say it"}, "Say  it", True, False),
    ("format:title_case", {}, "The Lord of the Rings", False, True),
    ("format:title_case", {}, "Don't Stop", False, True),
    ("format:output_template", {}, "Future Outlook: My Conclusion: My Answer:", True, False),
]


def verdict(id, arguments, text, mode):
    return IFBENCH[id](text, Asked(arguments, mode == "published"))


@pytest.mark.parametrize("mode", ["published", "corrected"])
@pytest.mark.parametrize(("id", "arguments", "text", "is_followed"), BOTH)
def test_both_modes_agree_on_what_the_instruction_says(id, arguments, text, is_followed, mode):
    assert verdict(id, arguments, text, mode) is is_followed


@pytest.mark.parametrize(("id", "arguments", "text", "published", "corrected"), APART)
def test_the_published_defects_can_be_had_and_are_mended(id, arguments, text, published, corrected):
    assert verdict(id, arguments, text, "published") is published
    assert verdict(id, arguments, text, "corrected") is corrected


def test_every_instruction_of_ifbench_is_shown_to_be_followed_and_broken():
    for outcome in (True, False):
        shown = {id for id, _, _, is_followed in BOTH if is_followed is outcome}
        shown |= {id for id, _, _, *verdicts in APART if outcome in verdicts}
        assert set(IFBENCH) == shown
    assert len(IFBENCH) == 58


@pytest.mark.parametrize("zero", [{"N": 0}, {"N": 0.5}, {"N": -1}, {"N": True}, {"N": "2"}, {}])
def test_a_place_that_is_none_is_unclear(zero):
    with pytest.raises(Unclear, match="N "):
        verdict("sentence:keyword", {"word": "a", **zero}, "a. b.", "published")
