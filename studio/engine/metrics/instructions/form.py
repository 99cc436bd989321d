"""IFEval: placeholders, bullets, sections and other marks in the text.

Each search takes time in proportion to the text, also where the published pattern does not.
"""

import json
import re
from collections.abc import Mapping
from typing import NoReturn

from studio.engine.metrics.instructions.asked import Asked, Rule, Unclear
from studio.engine.metrics.instructions.searching import is_found, pieces
from studio.engine.metrics.patterns import Pattern

_OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_BLANK_LINES = re.compile(r"\n\s*\n[^\S\n]*")
_STARS = re.compile(r"^\s*\*[^\*].*$", re.MULTILINE)
_DASHES = re.compile(r"^\s*-.*$", re.MULTILINE)
_BULLET = re.compile(r"^[^\S\n]*[*+-][^\S\n]+\S", re.MULTILINE)
_ITALIC = re.compile(r"\*[^\n\*]*\*")
_BOLD = re.compile(r"\*\*[^\n\*]*\*\*")
_HIGHLIGHT = re.compile(r"\*\*(?![\s*])[^\n*]*(?<!\s)\*\*|\*(?![\s*])[^\n*]*(?<!\s)\*")
_POSTSCRIPTS = {
    "P.P.S": re.compile(r"p\.\s?p\.\s?s"),
    "P.S.": re.compile(r"p\.\s?s\."),
}


def number_placeholders(text: str, asked: Asked) -> bool:
    """At least so many `[placeholders]`, each within one line."""
    return sum(map(_brackets, text.split("\n"))) >= asked.amount("num_placeholders")


def _brackets(line: str) -> int:
    count = end = 0
    while (start := line.find("[", end)) >= 0 and (close := line.find("]", start)) >= 0:
        count, end = count + 1, close + 1
    return count


def postscript(text: str, asked: Asked) -> bool:
    """The marker of a postscript is somewhere in the text, upper and lower case aside."""
    marker, text = asked.text("postscript_marker").strip(), text.lower()
    if marker in _POSTSCRIPTS:
        return _POSTSCRIPTS[marker].search(text) is not None
    if not asked.is_published:
        return marker.lower() in text
    return is_found(Pattern(marker.lower(), r"(?m:\s*", r".*$)"), text)


def number_bullet_lists(text: str, asked: Asked) -> bool:
    """Exactly so many bullets at the start of a line.

    Published: any line that begins with a dash, or with one asterisk, also "---" and "*bold*";
    a lone asterisk swallows the next line.  Corrected: `*`, `-` or `+`, white space, and text.
    """
    wanted = asked.amount("num_bullets")
    if not asked.is_published:
        return len(_BULLET.findall(text)) == wanted
    # More than one blank line in a row changes no match, but each would be read again and again.
    text = _BLANK_LINES.sub("\n\n", text)
    return len(_STARS.findall(text)) + len(_DASHES.findall(text)) == wanted


def constrained_response(text: str, _: Asked) -> bool:
    """One of the three fixed answers is in the text."""
    return any(option in text for option in _OPTIONS)


def number_highlighted_sections(text: str, asked: Asked) -> bool:
    """At least so many `*highlighted*` or `**bold**` pieces.

    Published: an asterisk that is a bullet opens one, and makes bold pieces behind it count twice.
    Corrected: no white space inside of the marks.
    """
    wanted = asked.amount("num_highlights")
    if not asked.is_published:
        return len(_HIGHLIGHT.findall(text)) >= wanted
    italic = sum(bool(piece.strip("*").strip()) for piece in _ITALIC.findall(text))
    bold = sum(bool(piece[2:-2].strip()) for piece in _BOLD.findall(text))
    return italic + bold >= wanted


def multiple_sections(text: str, asked: Asked) -> bool:
    """At least so many sections that begin with the word and a number."""
    splitter = asked.text("section_spliter").strip()
    wanted = asked.amount("num_sections")
    if not asked.is_published:
        return len(re.findall(rf"(?<!\w){re.escape(splitter)}\s?\d+", text)) >= wanted
    return pieces(Pattern(splitter, r"\s?", r"\s?\d+\s?"), text) - 1 >= wanted


def json_format(text: str, asked: Asked) -> bool:
    """The whole text is JSON, in a fence or not.

    Published: a bare number or NaN is JSON, too.  Corrected: an object or a list, by the standard.
    """
    inside = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        inside = inside.removeprefix(fence)
    inside = inside.removesuffix("```").strip()
    try:
        if asked.is_published:
            json.loads(inside)
            return True
        return isinstance(json.loads(inside, parse_constant=_refuse), dict | list)
    except RecursionError:
        raise Unclear("the text is JSON that is nested too deeply to be read") from None
    except ValueError:
        return False


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def title(text: str, _: Asked) -> bool:
    """A title in `<<double angular brackets>>`, within one line."""
    return any(map(_has_title, text.split("\n")))


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return 0 <= start <= end - 3 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())


RULES: Mapping[str, Rule] = {
    "detectable_content:number_placeholders": number_placeholders,
    "detectable_content:postscript": postscript,
    "detectable_format:number_bullet_lists": number_bullet_lists,
    "detectable_format:constrained_response": constrained_response,
    "detectable_format:number_highlighted_sections": number_highlighted_sections,
    "detectable_format:multiple_sections": multiple_sections,
    "detectable_format:json_format": json_format,
    "detectable_format:title": title,
}
