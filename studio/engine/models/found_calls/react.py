"""Calls in the text form of the ReAct paper: `Action: search` and `Action Input: fjord`."""

import re

from studio.engine.models.found_calls import marks as marks_of
from studio.engine.models.found_calls.arguments import NoArguments, arguments_of
from studio.engine.models.found_calls.json_text import JsonText
from studio.engine.models.found_calls.pythonic import pythonic_calls
from studio.engine.models.found_calls.values import Attempt, Candidate, Tools, noted, without

_ACTION = re.compile(r"^[ \t*]{0,8}Action[ \t*]{0,4}:[ \t*]{0,8}([^\n]{1,300})$", re.MULTILINE)
_INPUT = re.compile(r"\s{0,20}[ \t*]{0,4}Action Input[ \t*]{0,4}:[ \t*]{0,8}")
_OBSERVATION = re.compile(r"^[ \t*]{0,8}Observation[ \t*]{0,4}:", re.MULTILINE)
_FENCE = re.compile(r"```\w{0,20}\s{0,8}")


def actions(text: str, tools: Tools) -> Attempt:
    """The actions of `text` whose tool is known."""
    source = JsonText(text)
    calls: list[Candidate] = []
    gone: list[tuple[int, int]] = []
    for match in _ACTION.finditer(text):
        call, end = _action(match, source, tools)
        if call:
            calls.append(call)
            gone.append((match.start(), end))
    was_observed = gone and _OBSERVATION.search(text, gone[0][1])
    marks = (marks_of.RESULT,) if was_observed else ()
    return Attempt(noted(calls, "action"), without(text, gone), marks)


def _action(match: re.Match[str], source: JsonText, tools: Tools) -> tuple[Candidate | None, int]:
    written = match[1].strip(" \t\r*`")
    given = _INPUT.match(match.string, match.end())
    if (name := tools.name(written)) and given:
        return _with_input(name, given, source, tools)
    calls = pythonic_calls(written, tools, known_only=True)
    return (calls[0] if calls else None), match.end()


def _with_input(
    name: str, label: re.Match[str], source: JsonText, tools: Tools
) -> tuple[Candidate | None, int]:
    text, start = label.string, label.end()
    if fence := _FENCE.match(text, start):
        start = fence.end()
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    value = source.value_at(start, len(text)) if text.startswith("{", start) else None
    given = value.value if value else text[start:line_end].strip(" \t\r\"'`")
    try:
        call = arguments_of(given, name, tools)
    except NoArguments:
        return None, line_end
    is_mended = value is not None and value.repaired
    return call._replace(repaired=call.repaired or is_mended), value.end if value else line_end
