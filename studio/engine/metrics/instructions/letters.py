"""IFBench, `words`: how the single words are made: letters, lengths, syllables, repetitions."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from string import ascii_lowercase

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.words_of import bare_words, trimmed

_VOWELS = frozenset("aeiou")
_CONSONANTS = frozenset(ascii_lowercase) - _VOWELS
_PRIMES = frozenset(
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
)


def alphabet(text: str, _: Asked) -> bool:
    """Each word begins with the next letter of the alphabet, "a" after "z"."""
    words = bare_words(text)
    if not words or (first := words[0][0].lower()) not in ascii_lowercase:
        return False
    start = ascii_lowercase.index(first)
    return all(
        word.lower()[0] == ascii_lowercase[(start + place) % 26]
        for place, word in enumerate(words[1:], 1)
    )


def vowel(text: str, _: Asked) -> bool:
    """One line with at most three of the five vowels."""
    line = text.strip().lower()
    return "\n" not in line and len(_VOWELS & set(line)) <= 3


def consonants(text: str, asked: Asked) -> bool:
    """Each word has two consonants in a row.  Corrected: what holds no letter is no word."""
    words = text.lower().split()
    if not asked.is_published:
        words = [word for word in words if any(map(str.isalpha, word))]
    return all(_has_cluster(word) for word in words)


def _has_cluster(word: str) -> bool:
    return any(one in _CONSONANTS and other in _CONSONANTS for one, other in pairwise(word))


def palindrome(text: str, asked: Asked) -> bool:
    """At least ten palindromes of five characters or more.

    Corrected: of letters, so that "11111" is none.
    """
    found = [word for word in bare_words(text.lower()) if len(word) >= 5 and word == word[::-1]]
    return sum(asked.is_published or word.isalpha() for word in found) >= 10


def prime_lengths(text: str, _: Asked) -> bool:
    """Each word's length is a prime number below 100."""
    return all(len(word) in _PRIMES for word in bare_words(text))


def repeats(text: str, asked: Asked) -> bool:
    """No word more than so many times."""
    limit = asked.amount("small_n")
    return all(times <= limit for times in Counter(bare_words(text.lower())).values())


def odd_even_syllables(text: str, _: Asked) -> bool:
    """The numbers of syllables, as syllapy counts them, are odd and even by turns."""
    import syllapy

    return _differ(syllapy.count(word) % 2 for word in bare_words(text.lower()))


def no_consecutive(text: str, _: Asked) -> bool:
    """No two words in a row begin with the same letter."""
    return _differ(word[0] for word in bare_words(text.lower()))


def _differ(values: Iterable[object]) -> bool:
    return all(one != other for one, other in pairwise(values))


def paragraph_last_first(text: str, asked: Asked) -> bool:
    """Each line ends with the word it begins with.

    Published: "cats, I like cats" is wrong for the comma.  Corrected: punctuation aside.
    """
    for line in text.lower().split("\n"):
        words = trimmed(line.strip()).split()
        if not asked.is_published:
            words = list(filter(None, map(trimmed, words)))
        if words and words[0] != words[-1]:
            return False
    return True


RULES: Mapping[str, Rule] = {
    "words:alphabet": alphabet,
    "words:vowel": vowel,
    "words:consonants": consonants,
    "words:palindrome": palindrome,
    "words:prime_lengths": prime_lengths,
    "words:repeats": repeats,
    "words:odd_even_syllables": odd_even_syllables,
    "words:no_consecutive": no_consecutive,
    "words:paragraph_last_first": paragraph_last_first,
}
