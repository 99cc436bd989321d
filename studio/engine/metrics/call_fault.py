"""What is wrong with a call, by the names that BFCL and ACEBench have for the kinds of errors."""

from collections.abc import Mapping
from typing import Any

import msgspec

from studio.engine.metrics.arguments import shown

SIMPLE = "simple_function_checker"
MULTIPLE = "multiple_function_checker"
PARALLEL = "parallel_function_checker_no_order"

WRONG_COUNT = f"{SIMPLE}:wrong_count"
WRONG_NAME = f"{SIMPLE}:wrong_func_name"
MISSING_REQUIRED = f"{SIMPLE}:missing_required"
MISSING_OPTIONAL = f"{SIMPLE}:missing_optional"
UNEXPECTED = f"{SIMPLE}:unexpected_param"

_WORDS: Mapping[str, str] = {
    # BFCL
    "ast_decoder:decoder_failed": "the output holds no call that can be read",
    "ast_decoder:decoder_wrong_output_format": "the output is no list of calls",
    WRONG_COUNT: "%s calls made, 1 expected",
    f"{MULTIPLE}:wrong_count": "another number of calls than expected was made: %s",
    f"{PARALLEL}:wrong_count": "another number of calls than expected was made: %s",
    WRONG_NAME: "%s was not called",
    MISSING_REQUIRED: "the required argument %s is missing",
    UNEXPECTED: "the argument %s was not expected",
    MISSING_OPTIONAL: "the argument %s is missing",
    f"{PARALLEL}:cannot_find_match": "no call that is left matches the expected %s",
    "irrelevance_error:decoder_success": "a call was made, none was wanted",
    "relevance_error:decoder_failed": "no call was made, one was wanted",
    # ACEBench
    "wrong_output_format": "the output holds no calls that can be read",
    "wrong functions number": "another number of calls than expected was made",
    "function_mismatch": "other functions than expected were called",
    f"{SIMPLE}:unclear": "no call fits an expected one",
    "wrong_param": "arguments were given where none are expected, or the other way round",
    "wrong_function_name": "%s was not called",
    "lack_args": "the required argument %s is missing",
    "addition_args": "the argument %s was not expected",
}


class Fault(msgspec.Struct, frozen=True, gc=False):
    """The first thing that is wrong: the published error type, what it is about, the value found.

    It is about an argument, a function or a number of calls, as the kind has it.
    """

    kind: str
    about: Any = ""
    value: Any = None

    @property
    def words(self) -> str:
        """The fault for people."""
        form = _WORDS.get(self.kind)
        if form is not None:
            return form % (self.about,) if "%s" in form else form
        what = "type" if self.kind.startswith("type_error") else "value"
        return f"the argument {self.about} has the wrong {what}: {shown(self.value)}"
