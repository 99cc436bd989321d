"""Reads what a model gave as calls: text in one of three languages, or calls as data."""

from typing import Any

from studio.engine.metrics.bfcl.source_text import read_call
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.call_text import Unreadable, read_calls
from studio.engine.metrics.cases import NoCalls, UnreadArguments, calls_of

FAILED = Fault("ast_decoder:decoder_failed")
WRONG_FORMAT = Fault("ast_decoder:decoder_wrong_output_format")


def read_output(result: Any, language: str, *, as_published: bool) -> list[Any] | Fault:
    """The calls, or the fault of what are none.  Raises NotCarriedOut (see `call_text`)."""
    if type(result) is str:
        try:
            calls = _read_text(result, language, as_published=as_published)
        except Unreadable:
            return FAILED
        return WRONG_FORMAT if calls is None else calls
    try:
        return calls_of(result)
    except UnreadArguments:
        return FAILED
    except NoCalls:
        # The published runner takes the first name of each call: one without any stops it.
        is_read = isinstance(result, dict) or (isinstance(result, list) and {} not in result)
        return WRONG_FORMAT if is_read else FAILED


def _read_text(text: str, language: str, *, as_published: bool) -> list[Any] | None:
    text = text.strip("`\n ")
    text = text if text.startswith("[") else f"[{text}"
    text = text if text.endswith("]") else f"{text}]"
    if language == "python":
        return read_calls(text.strip().strip("'"))
    return read_call(text[1:-1], language, as_published=as_published)
