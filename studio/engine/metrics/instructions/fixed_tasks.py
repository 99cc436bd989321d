"""IFBench, `custom`: whole tasks whose answer is fixed in content or form."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import sentences
from studio.engine.metrics.instructions.words_of import bare_words, trimmed

_CAPITALS = """
Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin
Amsterdam Warsaw London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau
Bern Ljubljana Zagreb
""".split()
"""The capitals of Europe above 45 degrees north, from north to south, as IFBench lists them."""

_QUESTION = re.compile(r"Question \d+[\.|\):;]?\s*")
_OPTION = re.compile(r"^[A-Ea-e][\.|\)]\s*\w+")
_FEWEST_COUNTRIES = 52


def multiples(text: str, _: Asked) -> bool:
    """The multiples of 7 from 10 to 50, and no other number."""
    return re.findall(r"\d+", text) == ["14", "21", "28", "35", "42", "49"]


def mcq_count_length(text: str, _: Asked) -> bool:
    """Four questions of five options each, every question longer than the one before it."""
    if not text.startswith("Question"):
        return False
    parts = [part.strip() for part in _QUESTION.split(text) if part.strip()]
    lengths = [_question_length(part) for part in parts]
    known = [length for length in lengths if length is not None]
    return len(parts) == len(known) == 4 and all(one < other for one, other in pairwise(known))


def _question_length(part: str) -> int | None:
    """The length of the question without its options; None if these are not five."""
    lines = [line.strip() for line in part.split("\n")]
    options = [_OPTION.match(line) is not None for line in lines]
    if sum(options) != 5:
        return None
    return len(" ".join(lines[: options.index(True)]).strip())


def reverse_newline(text: str, _: Asked) -> bool:
    """From the line with Zimbabwe on, the alphabet backwards, for at least 52 lines."""
    lines = [line for line in map(trimmed, text.split("\n")) if line]
    start = next((place for place, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    countries = [_plain(line) for line in lines[start:]]
    ordered = sorted(countries, reverse=True)
    return len(countries) >= _FEWEST_COUNTRIES and countries == ordered


def _plain(text: str) -> str:
    """Without accents, and without whatever is not ASCII then."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def word_reverse(text: str, _: Asked) -> bool:
    """Read backwards word by word, one sentence about the bald eagle."""
    backwards = " ".join(reversed(bare_words(text.lower())))
    return "bald eagle" in backwards and backwards in sentences(backwards)


def character_reverse(text: str, _: Asked) -> bool:
    """The bald eagle, read backwards letter by letter."""
    return "elgae dlab" in text.lower()


def european_capitals_sort(text: str, _: Asked) -> bool:
    """The capitals of Europe above 45 degrees north, from north to south, parted by commas."""
    return [part.strip() for part in _plain(text).split(",") if part.strip()] == _CAPITALS


RULES: Mapping[str, Rule] = {
    "custom:multiples": multiples,
    "custom:mcq_count_length": mcq_count_length,
    "custom:reverse_newline": reverse_newline,
    "custom:word_reverse": word_reverse,
    "custom:character_reverse": character_reverse,
    "custom:european_capitals_sort": european_capitals_sort,
}
