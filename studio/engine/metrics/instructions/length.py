"""IFEval: how many sentences, words and paragraphs, and how one of these begins."""

import re
from collections.abc import Mapping

from studio.engine.metrics.instructions.asked import Asked, Rule, Unclear
from studio.engine.metrics.instructions.sentences import sentences

_WORD = re.compile(r"\w+")
_SPOKEN_WORD = re.compile(r"\w+(?:['’]\w+)*")
_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_WORD_END = re.compile(r"[.,?!'\"]")


def number_sentences(text: str, asked: Asked) -> bool:
    return asked.holds(len(sentences(text)), "num_sentences", "relation")


def number_words(text: str, asked: Asked) -> bool:
    r"""Words are matches of `\w+`.  Corrected: "don't" is one word, not two."""
    word = _WORD if asked.is_published else _SPOKEN_WORD
    return asked.holds(len(word.findall(text)), "num_words", "relation")


def number_paragraphs(text: str, asked: Asked) -> bool:
    """Exactly so many paragraphs between dividers of three asterisks, none of them blank."""
    wanted = asked.amount("num_paragraphs")
    paragraphs = _DIVIDER.split(text)
    blank = [place for place, paragraph in enumerate(paragraphs) if not paragraph.strip()]
    if any(0 < place < len(paragraphs) - 1 for place in blank):
        return False
    return len(paragraphs) - len(blank) == wanted


def nth_paragraph_first_word(text: str, asked: Asked) -> bool:
    """So many paragraphs between empty lines, and the nth begins with the word.

    Published: blank paragraphs are not counted, but the nth is looked for among them, too.
    """
    wanted, place = asked.amount("num_paragraphs"), asked.whole("nth_paragraph", 1)
    first_word = asked.text("first_word").lower()
    if place > wanted:
        raise Unclear("nth_paragraph must be one of the paragraphs")
    paragraphs = text.split("\n\n")
    filled = [paragraph for paragraph in paragraphs if paragraph.strip()]
    if len(filled) != wanted or place > len(filled):
        return False
    paragraph = (paragraphs if asked.is_published else filled)[place - 1].strip()
    if not paragraph:
        return False
    word = paragraph.split()[0].lstrip("'").lstrip('"')
    return _WORD_END.split(word, maxsplit=1)[0].lower() == first_word


RULES: Mapping[str, Rule] = {
    "length_constraints:number_sentences": number_sentences,
    "length_constraints:number_paragraphs": number_paragraphs,
    "length_constraints:number_words": number_words,
    "length_constraints:nth_paragraph_first_word": nth_paragraph_first_word,
}
