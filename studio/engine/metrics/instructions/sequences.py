"""IFBench: sentences and words in their order: which word stands where, and what follows what."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import sentences, tokens
from studio.engine.metrics.instructions.verbs import is_verb
from studio.engine.metrics.instructions.words_of import (
    PUNCTUATION,
    bare_words,
    trimmed,
    whole_word,
)


def alliteration_increment(text: str, _: Asked) -> bool:
    """Each sentence has more alliterating words than the one before it."""
    counts = [_alliterating(sentence) for sentence in sentences(text)]
    return all(before < after for before, after in pairwise(counts))


def _alliterating(sentence: str) -> int:
    words = (word.lstrip(PUNCTUATION + " ") for word in sentence.lower().split())
    same = [one[0] == other[0] for one, other in pairwise(filter(None, words))]
    # A run of n equal letters has n - 1 equal pairs.
    starts = sum(now and not before for before, now in pairwise([False, *same]))
    return sum(same) + starts


def keyword(text: str, asked: Asked) -> bool:
    """The Nth sentence holds the word."""
    word, place, found = asked.text("word"), asked.whole("N", 1), sentences(text)
    return len(found) >= place and whole_word(word).search(found[place - 1]) is not None


def increment(text: str, asked: Asked) -> bool:
    """Each sentence has exactly so many words more than the one before it."""
    step = asked.amount("small_n")
    counts = [len(bare_words(sentence)) for sentence in sentences(text)]
    return all(after == before + step for before, after in pairwise(counts))


def last_first(text: str, asked: Asked) -> bool:
    """The last word of each sentence is the first of the next.

    Published: with a comma behind it, it is another word.  Corrected: punctuation aside.
    """
    for one, other in pairwise(sentences(text)):
        last = one.rstrip(PUNCTUATION + " ").split()
        first = other.lstrip(PUNCTUATION + " ").split()
        if not last or not first or not _same(last[-1], first[0], asked):
            return False
    return True


def _same(one: str, other: str, asked: Asked) -> bool:
    if not asked.is_published:
        one, other = trimmed(one), trimmed(other)
    return one.lower() == other.lower()


def keywords_specific_position(text: str, asked: Asked) -> bool:
    """The mth word of the nth sentence is the keyword."""
    word = asked.text("keyword").strip().lower()
    sentence, place, found = asked.whole("n", 1), asked.whole("m", 1), sentences(text)
    if len(found) < sentence:
        return False
    words = _words(found[sentence - 1])
    return len(words) >= place and words[place - 1].lower() == word


def _words(text: str) -> list[str]:
    return [token for token in tokens(text) if any(map(str.isalnum, token))]


def words_position(text: str, asked: Asked) -> bool:
    """The second word and the last but one are the keyword.

    Published: punctuation marks are words, but for one at the very end.
    """
    word = asked.text("keyword").strip().lower()
    if asked.is_published:
        words = list(tokens(text))
        if len(words) > 1 and words[-1] in PUNCTUATION:
            del words[-1]
    else:
        words = _words(text)
    return len(words) > 1 and words[1].lower() == words[-2].lower() == word


def start_verb(text: str, _: Asked) -> bool:
    """The first word is a verb, as NLTK's tagger sees it (see `verbs`)."""
    return is_verb(tokens(text))


def sentence_alphabet(text: str, asked: Asked) -> bool:
    """26 sentences that begin with a to z.  Corrected: quotes before the letters aside."""
    found: Sequence[str] = sentences(text)
    if not asked.is_published:
        found = [sentence.lstrip(PUNCTUATION + " “‘«") for sentence in found]
    firsts = [sentence.lstrip()[:1].lower()[:1] for sentence in found]
    return "".join(firsts) == "abcdefghijklmnopqrstuvwxyz"


RULES: Mapping[str, Rule] = {
    "sentence:alliteration_increment": alliteration_increment,
    "sentence:keyword": keyword,
    "sentence:increment": increment,
    "words:last_first": last_first,
    "words:keywords_specific_position": keywords_specific_position,
    "words:words_position": words_position,
    "words:start_verb": start_verb,
    "custom:sentence_alphabet": sentence_alphabet,
}
