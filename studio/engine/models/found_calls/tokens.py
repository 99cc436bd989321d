"""The control tokens of many model families, cut out of a text in one pass."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    OPEN = auto()
    """Begins a block that holds calls, in whatever notation."""
    NAMED = auto()
    """Begins a call and names the tool: `<function=add>`, `<invoke name="add">`."""
    BEGIN = auto()
    """Begins a call that is a name, a separator and arguments (DeepSeek, Kimi)."""
    GEMMA = auto()
    """Begins a call in Gemma's notation."""
    ARGUMENTS = auto()
    """Mistral's `[ARGS]`: the name stands before it, the arguments behind it."""
    CLOSE = auto()
    """Ends any of these."""
    RESULT = auto()
    """Begins the result of a tool, which no model should write."""
    RESULT_END = auto()
    NOISE = auto()
    """Turn markers and the like: nothing to do with calls."""


class Token(NamedTuple):
    kind: Kind
    start: int
    end: int
    text: str
    name: str = ""


_TAGS = r"tool_calls?|tools|toolcall|function_calls?|functioncall|minimax:tool_call|seed:tool_call"
_BAR = r"[｜|]"
_GAP = r"[▁_ ]"
_RESULTS = r"tool_responses?|tool_results?|function_results?|function_response|tool_outputs?"
_PATTERNS: dict[Kind, str] = {
    Kind.OPEN: (
        rf"<(?:{_TAGS}|｜DSML｜(?:function|tool)_calls)>"
        r"|\[TOOL_CALLS?\]|functools(?=\[)"
        r"|<\|(?:python_tag|python_start|tool_calls?|tool_call_start|START_ACTION|action_start"
        r"|plugin|tool_calls_section_begin)\|>"
        rf"|<{_BAR}tool{_GAP}calls{_GAP}begin{_BAR}>"
    ),
    Kind.NAMED: (
        r"<function\s?[=(/]\s?[\"']?(?P<name1>[\w.:\-]{1,128})[\"']?\s?\)?[=>]{0,2}"
        r"|<(?:｜DSML｜)?(?:invoke|function|tool|tool_call|function_call)\s{1,8}name\s?=\s?"
        r"[\"'](?P<name2>[^\"'<>\n]{1,128})[\"'][^<>\n]{0,80}>"
    ),
    Kind.BEGIN: rf"<{_BAR}tool{_GAP}call{_GAP}begin{_BAR}>",
    Kind.GEMMA: r"<\|tool_call>|<start_function_call>",
    Kind.ARGUMENTS: r"\[ARGS\]",
    Kind.CLOSE: (
        rf"</(?:{_TAGS}|function|invoke|｜DSML｜(?:function_calls|tool_calls|invoke))>"
        r"|\[/TOOL_CALLS?\]|<tool_call\|>|<end_function_call>"
        r"|<\|/?(?:python_end|tool_call_end|END_ACTION|action_end|tool_calls_section_end"
        r"|/tool_calls?)\|>"
        rf"|<{_BAR}tool{_GAP}calls?{_GAP}end{_BAR}>"
    ),
    Kind.RESULT: (
        rf"<(?:{_RESULTS})>|<\|tool_response\|?>|\[TOOL_RESULTS\]|<start_function_response>"
        rf"|<{_BAR}tool{_GAP}outputs?{_GAP}begin{_BAR}>|<\|START_TOOL_RESULT\|>"
    ),
    Kind.RESULT_END: (
        rf"</(?:{_RESULTS})>|<tool_response\|>|<\|/tool_response\|>|\[/TOOL_RESULTS\]"
        rf"|<end_function_response>|<{_BAR}tool{_GAP}outputs?{_GAP}end{_BAR}>|<\|END_TOOL_RESULT\|>"
    ),
    Kind.NOISE: (
        r"<\|start_header_id\|>\s{0,8}\w{0,40}\s{0,8}<\|end_header_id\|>|<\|(?:im_)?start\|>(?:assistant)?"
        r"|<\|(?:eot_id|eom_id|im_end|endoftext|begin_of_text|end_of_text|end|assistant|eot|eom|call|return|constrain"
        r"|start_of_role|end_of_role|END_OF_TURN_TOKEN)\|>"
        r"|<start_of_turn>(?:model)?|<end_of_turn>|<｜end▁of▁sentence｜>|<turn\|>|<\|turn>(?:model)?"
        r"|<\?xml[^<>]{0,120}\?>"
    ),
}
_KINDS = "|".join(f"(?P<{kind.name}>{text})" for kind, text in _PATTERNS.items())
# One look at the first character spares most places the many alternatives.
_TOKEN = re.compile(rf"(?=[<\[f])(?:{_KINDS})")


def tokens(text: str) -> Iterator[Token]:
    """The control tokens of `text`, in order; one quoted in backticks is only spoken of."""
    for match in _TOKEN.finditer(text):
        if text[match.start() - 1 : match.start()] == "`" == text[match.end() : match.end() + 1]:
            continue
        # The group that closed last is the outermost one.
        assert match.lastgroup is not None
        name = match["name1"] or match["name2"] or ""
        yield Token(Kind[match.lastgroup], match.start(), match.end(), match[0], name)
