"""IFBench, `format`: brackets, quotes, lists, lines, emoji."""

import re
from collections.abc import Mapping
from itertools import pairwise
from string import digits

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import sentences
from studio.engine.metrics.instructions.words_of import (
    PUNCTUATION,
    bare_words,
    trimmed,
    without_punctuation,
)

_CLOSES = {")": "(", "]": "[", "}": "{"}
_LETTERED = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_CURLY = str.maketrans("“”‘’", "\"\"''")
_NO_QUOTE = digits + PUNCTUATION.replace('"', "")


def parentheses(text: str, _: Asked) -> bool:
    """Brackets of any kind, nested five deep and closed; a wrong one starts the count again."""
    opened: list[str] = []
    deepest = 0
    for character in text:
        if character in "([{":
            opened.append(character)
            deepest = max(deepest, len(opened))
        elif character in _CLOSES:
            if not opened or opened[-1] != _CLOSES[character]:
                opened, deepest = [], 0
                continue
            opened.pop()
            if deepest >= 5:
                return True
    return False


def quotes(text: str, asked: Asked) -> bool:
    """Double and single quotes by turns, nested three deep and closed.

    Published: an apostrophe is a quote.  Corrected: not within a word; curly quotes count.
    """
    if not asked.is_published:
        text = _APOSTROPHE.sub("", text).translate(_CURLY)
    opened: list[str] = []
    deepest = 0
    for character in text:
        if opened and character == opened[-1]:
            opened.pop()
            if deepest - len(opened) >= 3:
                return True
        elif character in "\"'":
            opened.append(character)
            deepest = max(deepest, len(opened))
    return False


def options(text: str, asked: Asked) -> bool:
    """The text is one of the options.

    Published: options that are letters, such as "a), b), c)", must match with nothing around them.
    """
    listed = asked.text("options")
    parted = "/" if "/" in listed else "or" if "or" in listed else ","
    found = [option.strip() for option in listed.split(parted)]
    if _LETTERED.match(listed):
        return (text if asked.is_published else text.strip()) in found
    text = (text if asked.is_published else text.strip()).strip(PUNCTUATION + " ").lower()
    return any(trimmed(option).lower() == text for option in found)


def newline(text: str, _: Asked) -> bool:
    """Each word on a line of its own."""
    lines = without_punctuation(text).strip().split("\n")
    return len(list(filter(None, lines))) == len(bare_words(text))


def emoji_ends(text: str, asked: Asked) -> bool:
    """An emoji at the end of each sentence, or right behind it.

    Published: one of the last two characters; an emoji of several characters may not count.
    """
    found = [without_punctuation(sentence).strip() for sentence in sentences(text)]
    ends = _ends_short if asked.is_published else _ends_with_emoji
    return all(
        ends(sentence) or (behind != "" and sentence != "" and _is_emoji(behind[0]))
        for sentence, behind in zip(found, [*found[1:], ""], strict=True)
    )


def _ends_short(sentence: str) -> bool:
    return any(map(_is_emoji, sentence[-2:]))


def _ends_with_emoji(sentence: str) -> bool:
    import emoji

    listed = emoji.emoji_list(sentence)
    return bool(listed) and listed[-1]["match_end"] == len(sentence)


def _is_emoji(character: str) -> bool:
    import emoji

    return emoji.is_emoji(character)


def line_indent(text: str, asked: Asked) -> bool:
    """Each line is indented further than the one before it.

    Published: of two blank lines in a row one is left, as a line without indentation.
    """
    lines = text.split("\n")
    if asked.is_published:
        _drop_some_blank(lines)
    else:
        lines = [line for line in lines if line.strip()]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return all(before < after for before, after in pairwise(indents))


def _drop_some_blank(lines: list[str]) -> None:
    """As the published grader does, which deletes from the list that it walks along."""
    place = 0
    while place < len(lines):
        if not lines[place].strip():
            lines.remove(lines[place])
        place += 1


def quote_unquote(text: str, asked: Asked) -> bool:
    """No quote follows another at once, and none ends the text.

    Corrected: curly quotes count, too.
    """
    if not asked.is_published:
        text = text.translate(_CURLY)
    text = "".join(text.replace("'\"'", "").split())
    return '""' not in text and not text.strip(_NO_QUOTE).endswith('"')


def list_marker(text: str, asked: Asked) -> bool:
    """At least two items behind the marker.  Corrected: at the start of a line."""
    marker = asked.text("sep")
    if asked.is_published:
        return text.count(marker) >= 2
    return sum(line.lstrip().startswith(marker.strip()) for line in text.split("\n")) >= 2


def output_template(text: str, asked: Asked) -> bool:
    """All three headings.  Corrected: in their order."""
    places = [text.find(each) for each in ("My Answer:", "My Conclusion:", "Future Outlook:")]
    return min(places) >= 0 and (asked.is_published or places == sorted(places))


def no_whitespace(text: str, _: Asked) -> bool:
    return not any(map(str.isspace, text))


RULES: Mapping[str, Rule] = {
    "format:parentheses": parentheses,
    "format:quotes": quotes,
    "format:options": options,
    "format:newline": newline,
    "format:emoji": emoji_ends,
    "format:line_indent": line_indent,
    "format:quote_unquote": quote_unquote,
    "format:list": list_marker,
    "format:output_template": output_template,
    "format:no_whitespace": no_whitespace,
}
