"""The words of a text, and the lists of words that IFBench counts."""

import re
import string

PUNCTUATION = string.punctuation
_NO_PUNCTUATION = str.maketrans("", "", PUNCTUATION)

CONJUNCTIONS = frozenset("and but for nor or so yet".split())

PRONOUNS = frozenset(
    """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    this that these those who whom whose which what whoever whomever whatever whichever
    anybody anyone anything everybody everyone everything nobody nothing somebody someone something
    each either neither both all some any none
    """.split()
)

STOP_WORDS = frozenset(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves
    this that these those who whom what which
    am is are was were be been being have has had having do does did doing
    can will just should now
    a an the and but if or because as until while than so
    of at by for with about against between into through during before after above below
    to from up down in out on off over under
    again further then once here there when where why how
    all any both each few more most other some such no nor not only own same too very
    d ll m o re s t ve y ma don
    ain aren couldn didn doesn hadn hasn haven isn mightn mustn needn shan shouldn
    wasn weren won wouldn
    """.split()
)
r"""NLTK's English list, without entries that hold an apostrophe: no match of `\w+` is one."""

NAMES = tuple(
    """
    Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander
    Amelia Benjamin Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella
    Jacob Scarlett Nathan Victoria Elijah Layla Nicholas Audrey David Hannah Christopher Penelope
    Thomas Nora Andrew Aria Joseph Claire Ryan Stella Jonathan
    """.split()
)
"""The names that the prompt of `count:person_names` lists."""


def without_punctuation(text: str) -> str:
    """The text with every ASCII punctuation mark deleted, also within words."""
    return text.translate(_NO_PUNCTUATION)


def bare_words(text: str) -> list[str]:
    """Words between white space, the punctuation deleted from them; never an empty one."""
    return without_punctuation(text).split()


def trimmed(word: str) -> str:
    """The word without the punctuation and blanks around it."""
    return word.strip(PUNCTUATION + " ")


def whole_word(word: str) -> re.Pattern[str]:
    r"""The text between two word boundaries."""
    return re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
