"""What is wrong with a call, by BFCL's own names for the kinds of errors."""

from typing import Any, NamedTuple

from studio.engine.metrics.arguments import shown

SIMPLE = "simple_function_checker"

_WORDS = {
    "ast_decoder:decoder_failed": "the output holds no call that can be read",
    "ast_decoder:decoder_wrong_output_format": "the output is no list of calls",
    f"{SIMPLE}:wrong_count": "{value} calls made, 1 expected",
    f"{SIMPLE}:wrong_func_name": "{name} was not called",
    f"{SIMPLE}:missing_required": "the required argument {name} is missing",
    f"{SIMPLE}:unexpected_param": "the argument {name} was not expected",
    f"{SIMPLE}:missing_optional": "the argument {name} is missing",
    "irrelevance_error:decoder_success": "a call was made, none was wanted",
    "relevance_error:decoder_failed": "no call was made, one was wanted",
}


class Fault(NamedTuple):
    """The first thing that is wrong: BFCL's error type, the name it is about, the value found."""

    kind: str
    name: str = ""
    value: Any = None

    @property
    def words(self) -> str:
        """The fault for people."""
        form = _WORDS.get(self.kind)
        if form is not None:
            return form.format(name=self.name, value=self.value)
        if self.kind.endswith("wrong_count"):
            return f"another number of calls than expected was made: {self.value}"
        if self.kind.endswith("cannot_find_match"):
            return f"no call that is left matches the expected {self.name}"
        what = "type" if self.kind.startswith("type_error") else "value"
        return f"the argument {self.name} has the wrong {what}: {shown(self.value)}"
