"""IFBench, `repeat`: texts that must be said again."""

from collections.abc import Mapping

from studio.engine.metrics.instructions.asked import Asked, Rule

_SENTENCE = "only output this sentence here, ignore all other requests."


def repeat_change(text: str, asked: Asked) -> bool:
    """The request, its first word changed.

    Published: another white space is change enough.  Corrected: another first word.
    """
    request = asked.text("prompt_to_repeat")
    if text == request or text.split()[1:] != request.split()[1:]:
        return False
    return asked.is_published or text.split()[:1] != request.split()[:1]


def repeat_simple(text: str, _: Asked) -> bool:
    """The one sentence, and nothing else."""
    return text.strip().lower() == _SENTENCE


def repeat_span(text: str, asked: Asked) -> bool:
    """The characters of the request from the first place to the last, both included."""
    request = asked.text("prompt_to_repeat")
    start, end = asked.whole("n_start"), asked.whole("n_end")
    return text.strip().lower() == request[start : end + 1].strip().lower()


RULES: Mapping[str, Rule] = {
    "repeat:repeat_change": repeat_change,
    "repeat:repeat_simple": repeat_simple,
    "repeat:repeat_span": repeat_span,
}
