"""IFBench, `count`: so many words, names, numbers, marks."""

import re
from collections.abc import Mapping

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import tokens
from studio.engine.metrics.instructions.words_of import (
    CONJUNCTIONS,
    NAMES,
    PRONOUNS,
    trimmed,
    whole_word,
    without_punctuation,
)

_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_TIMES = (1, 2, 3, 5, 7)


def word_count_range(text: str, asked: Asked) -> bool:
    count = len(_WORD.findall(text))
    return asked.amount("min_words") <= count <= asked.amount("max_words")


def unique_word_count(text: str, asked: Asked) -> bool:
    """At least so many different words.  Published: a lone dash is one, too, once."""
    words = {trimmed(word) for word in text.lower().split()}
    if not asked.is_published:
        words.discard("")
    return len(words) >= asked.amount("N")


def conjunctions(text: str, asked: Asked) -> bool:
    """So many different coordinating conjunctions.  Published: "and" and "And" are two."""
    found = {word for word in text.split() if trimmed(word).lower() in CONJUNCTIONS}
    if not asked.is_published:
        found = {trimmed(word).lower() for word in found}
    return len(found) >= asked.amount("small_n")


def person_names(text: str, asked: Asked) -> bool:
    """So many different names of the list that the prompt gives."""
    found = sum(re.search(rf"\b{name}\b", text) is not None for name in NAMES)
    return found >= asked.amount("N")


def numbers(text: str, asked: Asked) -> bool:
    """Exactly so many numbers.  Published: punctuation is deleted first, so "1-2" is one."""
    if asked.is_published:
        found = _DIGITS.findall(without_punctuation(text))
    else:
        found = _NUMBER.findall(text)
    return len(found) == asked.amount("N")


def punctuation(text: str, _: Asked) -> bool:
    """Each of `. , ! ? ; :`, and an interrobang beside them."""
    without = text.replace("?!", "", 1)
    if without == text:
        without = text.replace("!?", "", 1)
    return (without != text or "‽" in text) and set(".,!?;:") <= set(without)


def words_japanese(text: str, asked: Asked) -> bool:
    """Each Nth word holds a Japanese character, unless it is a number."""
    every = asked.whole("N", 1)
    return all(
        _JAPANESE.search(word) is not None
        for word in map(trimmed, text.split()[every - 1 :: every])
        if word and not word.isdigit()
    )


def pronouns(text: str, asked: Asked) -> bool:
    """At least so many pronouns; each time one is used counts."""
    words = tokens(text.replace("/", " ").lower())
    return sum(word in PRONOUNS for word in words) >= asked.amount("N")


def keywords_multiple(text: str, asked: Asked) -> bool:
    """Five keywords, exactly 1, 2, 3, 5 and 7 times.

    Published: also as a part of other words.  Corrected: as whole words.
    """
    keywords = [asked.text(f"keyword{number}").strip() for number in range(1, 6)]
    if asked.is_published:
        lower = text.lower()
        found = [lower.count(keyword.lower()) for keyword in keywords]
    else:
        found = [len(whole_word(keyword).findall(text)) for keyword in keywords]
    return tuple(found) == _TIMES


RULES: Mapping[str, Rule] = {
    "count:word_count_range": word_count_range,
    "count:unique_word_count": unique_word_count,
    "count:conjunctions": conjunctions,
    "count:person_names": person_names,
    "count:numbers": numbers,
    "count:punctuation": punctuation,
    "count:words_japanese": words_japanese,
    "count:pronouns": pronouns,
    "count:keywords_multiple": keywords_multiple,
}
