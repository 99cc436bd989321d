"""IFEval: words that must be there, or must not.

Published: a keyword is a regular expression and may be part of another word ("man" in "woman").
Corrected: it is a word or phrase, taken letter by letter.
"""

import re
from collections.abc import Mapping
from string import ascii_lowercase

from studio.engine.metrics.instructions.asked import Asked, Rule, Unclear
from studio.engine.metrics.instructions.searching import count, is_found
from studio.engine.metrics.patterns import Pattern


def existence(text: str, asked: Asked) -> bool:
    """Each keyword is found, upper and lower case aside."""
    return all(_found(asked, word, text) for word in asked.texts("keywords"))


def frequency(text: str, asked: Asked) -> bool:
    """The keyword is found so often."""
    keyword = asked.text("keyword").strip()
    if asked.is_published:
        times = count(Pattern(keyword, ignore_case=True), text)
    else:
        times = len(_word(keyword).findall(text))
    return asked.holds(times, "frequency", "relation")


def forbidden_words(text: str, asked: Asked) -> bool:
    """None of the words is found as a whole word."""
    words = asked.texts("forbidden_words")
    if asked.is_published:
        patterns = [Pattern(word, r"\b", r"\b", ignore_case=True) for word in words]
        return not any(is_found(pattern, text) for pattern in patterns)
    return not any(_word(word).search(text) for word in words)


def letter_frequency(text: str, asked: Asked) -> bool:
    """The letter stands so often in the text, upper and lower case aside.

    Published: for any character but a to z a letter is drawn at random.
    """
    letter = asked.text("letter")
    if len(letter) > 1:
        raise Unclear("letter must be one character")
    lower = text.lower()
    if not asked.is_published or "a" <= letter.lower() <= "z":
        return asked.holds(lower.count(letter.lower()), "let_frequency", "let_relation")
    whichever = {
        asked.holds(lower.count(drawn), "let_frequency", "let_relation")
        for drawn in ascii_lowercase
    }
    if len(whichever) > 1:
        raise Unclear(f"in place of {letter!r} the published grader draws a letter at random")
    return whichever.pop()


def _found(asked: Asked, keyword: str, text: str) -> bool:
    if asked.is_published:
        return is_found(Pattern(keyword, ignore_case=True), text)
    return _word(keyword).search(text) is not None


def _word(keyword: str) -> re.Pattern[str]:
    """The keyword as a whole word or phrase; white space in it is any white space."""
    phrase = keyword.strip()
    if not phrase:
        raise Unclear("a keyword is blank")
    inside = r"\s+".join(map(re.escape, phrase.split()))
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return re.compile(before + inside + after, re.IGNORECASE)


RULES: Mapping[str, Rule] = {
    "keywords:existence": existence,
    "keywords:frequency": frequency,
    "keywords:forbidden_words": forbidden_words,
    "keywords:letter_frequency": letter_frequency,
}
