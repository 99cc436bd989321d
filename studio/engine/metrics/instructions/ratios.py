"""IFBench, `ratio`: shares of words, kinds of sentences, overlap with another text."""

import re
from collections import Counter
from collections.abc import Mapping

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import sentences
from studio.engine.metrics.instructions.words_of import STOP_WORDS, bare_words

_WORD = re.compile(r"\w+")


def stop_words(text: str, asked: Asked) -> bool:
    """At most so many per cent of the words are stop words."""
    limit, words = asked.amount("percentage"), _WORD.findall(text)
    found = sum(word.lower() in STOP_WORDS for word in words)
    return bool(words) and found / len(words) * 100 <= limit


def sentence_type(text: str, _: Asked) -> bool:
    """Twice as many statements as questions, by the last character of each sentence."""
    ends = _ends(text)
    return ends["."] == 2 * ends["?"]


def sentence_balance(text: str, _: Asked) -> bool:
    """As many statements as questions as exclamations."""
    ends = _ends(text)
    return ends["."] == ends["?"] == ends["!"]


def _ends(text: str) -> Counter[str]:
    return Counter(sentence[-1:] for sentence in sentences(text))


def overlap(text: str, asked: Asked) -> bool:
    """The share of the text's character trigrams that the reference has too, within 2 points."""
    reference, wanted = asked.text("reference_text"), asked.amount("percentage")
    trigrams = _trigrams(text)
    if not trigrams:
        return False
    share = len(trigrams & _trigrams(reference)) / len(trigrams)
    return wanted - 2 <= share * 100 <= wanted + 2


def _trigrams(text: str) -> set[str]:
    return {text[place : place + 3] for place in range(len(text) - 2)}


def sentence_words(text: str, asked: Asked) -> bool:
    """Three sentences of equal length.  Corrected: with no word twice, as the prompt asks."""
    found = [sentence.strip() for sentence in sentences(text)]
    if len(found) != 3 or len(set(map(len, found))) != 1:
        return False
    words = bare_words(text.lower())
    return asked.is_published or len(set(words)) == len(words)


RULES: Mapping[str, Rule] = {
    "ratio:stop_words": stop_words,
    "ratio:sentence_type": sentence_type,
    "ratio:sentence_balance": sentence_balance,
    "ratio:overlap": overlap,
    "ratio:sentence_words": sentence_words,
}
