"""IFEval: what holds for the text as a whole: its case, its ends, its parts, its language."""

import re
from collections.abc import Mapping

from studio.engine.metrics.instructions.asked import Asked, Rule
from studio.engine.metrics.instructions.languages import language_of
from studio.engine.metrics.instructions.sentences import tokens

_COMMAS = re.compile("[,\uff0c\u3001\u060c\ufe50\uff64]")


def capital_word_frequency(text: str, asked: Asked) -> bool:
    """So many words in capitals; hyphenated ones count once, and "I" is one."""
    capitals = sum(token.isupper() for token in tokens(text))
    return asked.holds(capitals, "capital_frequency", "capital_relation")


def english_capital(text: str, asked: Asked) -> bool:
    """English, in capitals only.

    Published: langdetect, which knows little English in capitals, is asked as it is, and a text
    whose language cannot be told passes.  Corrected: it is asked in lower case.
    """
    return text.isupper() and _is_english(text, asked)


def english_lowercase(text: str, asked: Asked) -> bool:
    """English, in lower case only."""
    return text.islower() and _is_english(text, asked)


def _is_english(text: str, asked: Asked) -> bool:
    language = language_of(text if asked.is_published else text.lower())
    return language in ("en", None)


def response_language(text: str, asked: Asked) -> bool:
    """The whole text is in the language.

    Published: a text whose language cannot be told passes.  Corrected: it does not.
    """
    wanted, language = asked.text("language"), language_of(text)
    return asked.is_published if language is None else language == wanted


def no_comma(text: str, asked: Asked) -> bool:
    """No comma.  Corrected: none of another script either."""
    return "," not in text if asked.is_published else _COMMAS.search(text) is None


def end_checker(text: str, asked: Asked) -> bool:
    """The text ends with the phrase; double quotes around the text and case aside."""
    phrase = asked.text("end_phrase").strip().lower()
    return text.strip().strip('"').lower().endswith(phrase)


def quotation(text: str, asked: Asked) -> bool:
    """The text is wrapped in double quotes.  Corrected: also in curly ones."""
    text = text.strip()
    quotes = ['""'] if asked.is_published else ['""', "“”"]
    return len(text) > 1 and text[0] + text[-1] in quotes


def two_responses(text: str, _: Asked) -> bool:
    """Two different answers, parted by six asterisks."""
    parts = [part.strip() for part in text.split("******")]
    if not all(parts[1:-1]):
        return False
    answers = [part for part in parts if part]
    return len(answers) == 2 and answers[0] != answers[1]


def repeat_prompt(text: str, asked: Asked) -> bool:
    """The text begins with the request, case aside."""
    prompt = asked.text("prompt_to_repeat").strip().lower()
    return text.strip().lower().startswith(prompt)


RULES: Mapping[str, Rule] = {
    "language:response_language": response_language,
    "combination:two_responses": two_responses,
    "combination:repeat_prompt": repeat_prompt,
    "startend:end_checker": end_checker,
    "startend:quotation": quotation,
    "change_case:capital_word_frequency": capital_word_frequency,
    "change_case:english_capital": english_capital,
    "change_case:english_lowercase": english_lowercase,
    "punctuation:no_comma": no_comma,
}
