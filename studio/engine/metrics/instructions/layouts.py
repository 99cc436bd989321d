"""IFBench, `format`: title case, theses in italics, bullets and what stands below them."""

from collections.abc import Mapping, Sequence

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.sentences import sentences, tokens
from studio.engine.metrics.instructions.words_of import trimmed

_SMALL = frozenset(
    """
    a an the and but or nor for so yet as at by in of off on per to up via with from into onto over
    than if vs
    """.split()
)


def title_case(text: str, asked: Asked) -> bool:
    """Each major word begins with a capital.

    Published: each token, the small words too; "Don't" fails, because "n't" is a token.
    Corrected: articles, conjunctions and prepositions may be small, but for the first word.
    """
    if asked.is_published:
        return not any(map(_is_lower, tokens(text)))
    words = [word for word in map(trimmed, text.split()) if word[:1].isalpha()]
    return not any(
        word[0].islower() and (place == 0 or word.lower() not in _SMALL)
        for place, word in enumerate(words)
    )


def _is_lower(token: str) -> bool:
    rest = token[1:]
    return token[0].islower() and (not rest or rest.islower() or rest.isupper())


def thesis(text: str, asked: Asked) -> bool:
    """A text in HTML italics, and other text behind it.

    Published: what an `<em>` leaves of its own tags is text, too.
    """
    opened = _first(text, ("<i>", "<em>"))
    if opened is None:
        return False
    tag, text = opened
    closed = _first(text, ("</i>", "</em>"))
    if closed is None:
        return False
    end = len(text) - len(closed[1])
    before, behind = (3, 4) if asked.is_published else (len(tag), len(closed[0]))
    return text[before:end].strip() != "" and text[end + behind :].strip() != ""


def _first(text: str, tags: Sequence[str]) -> tuple[str, str] | None:
    """The first tag in the order given that the text holds, and the text from there on."""
    for tag in tags:
        if (place := text.find(tag)) >= 0:
            return tag, text[place:]
    return None


def sub_bullets(text: str, asked: Asked) -> bool:
    """Bullets, each with a sub-bullet.

    Published: a dash somewhere behind each asterisk; a text without asterisks passes.
    Corrected: lines that begin with `*`, each followed by one that begins with `-`.
    """
    if asked.is_published:
        return all("-" in bullet for bullet in text.split("*")[1:])
    marks = [line.strip()[:2] for line in text.split("\n")]
    bullets = "".join(mark[0] for mark in marks if mark in ("* ", "- "))
    return "*" in bullets and "**" not in bullets and not bullets.endswith("*")


def no_bullets_bullets(text: str, asked: Asked) -> bool:
    """At least two sentences, then at least two bullets, and nothing behind them.

    Published: a blank line ends the sentences, also before the first bullet.
    """
    lines = [line.strip() for line in text.split("\n")]
    if not asked.is_published:
        lines = [line for line in lines if line]
    first = next((place for place, line in enumerate(lines) if line.startswith("*")), len(lines))
    before, bullets = lines[:first], lines[first:]
    if asked.is_published and "" in before[:-1]:
        return False
    told = sum(len(sentences(line)) for line in before)
    return told >= 2 and len(bullets) >= 2 and all(line.startswith("*") for line in bullets)


RULES: Mapping[str, Rule] = {
    "format:title_case": title_case,
    "format:thesis": thesis,
    "format:sub-bullets": sub_bullets,
    "format:no_bullets_bullets": no_bullets_bullets,
}
