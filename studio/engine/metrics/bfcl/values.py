"""How BFCL compares texts, lists and objects with the acceptable ones, to the letter."""

from collections.abc import Mapping, Sequence
from typing import Any

from studio.engine.metrics.call_fault import Fault

# What stays is named as well: a mark that a table lacks costs several times as much.
_KEPT = {chr(code): chr(code) for code in range(128)}
_STANDARD = str.maketrans({**_KEPT, **dict.fromkeys(" ,./-_*^"), "'": '"'})


def standardized(text: str) -> str:
    """`text` without the blanks and the marks `,./-_*^`, in lower case, quotes made double.

    Only U+0020 is a blank: tabs and line ends stay.
    """
    return text.translate(_STANDARD).lower()


def text_fault(argument: str, value: str, answers: Sequence[Any]) -> Fault | None:
    """None if the text is one of the answers, both standardized; other types are passed over."""
    plain = standardized(value)
    for answer in _in_order(answers):
        if type(answer) is str and standardized(answer) == plain:
            return None
    return Fault("value_error:string", argument, value)


def _in_order(answers: Sequence[Any]) -> Sequence[Any]:
    """The answers by their places, as the published code looks at them; an object has none."""
    return answers if type(answers) is list else [answers[n] for n in range(len(answers))]


def list_fault(argument: str, value: Sequence[Any], answers: Sequence[Any]) -> Fault | None:
    """None if the list is one of the answers, in order; only texts on the top are standardized."""
    if _standardized_items(value) in [_standardized_items(answer) for answer in _in_order(answers)]:
        return None
    return Fault("value_error:list/tuple", argument, value)


def _standardized_items(items: Sequence[Any]) -> list[Any]:
    return [standardized(item) if type(item) is str else item for item in items]


def dict_fault(argument: str, value: Mapping[str, Any], answers: Sequence[Any]) -> Fault | None:
    """None if the object fits one of the answers; otherwise what is wrong beside the last one."""
    fault: Fault | None = Fault("dict_checker:unclear", argument, value)
    for answer in _in_order(answers):
        if answer == "":
            continue
        fault = _dict_fault(argument, value, answer)
        if fault is None:
            return None
    return fault


def _dict_fault(
    argument: str, value: Mapping[str, Any], answer: Mapping[str, Sequence[Any]]
) -> Fault | None:
    fault = None
    for key, item in value.items():
        if key not in answer:
            fault = Fault("value_error:dict_key", f"{argument}.{key}", item)
            break
        plain = standardized(item) if type(item) is str else item
        if plain not in _standardized_items(answer[key]):
            fault = Fault("value_error:dict_value", f"{argument}.{key}", item)
            break
    for key, acceptable in answer.items():
        if key not in value and "" not in acceptable:
            return Fault("value_error:dict_key", f"{argument}.{key}")
    return fault


def dicts_fault(argument: str, value: Sequence[Any], answers: Sequence[Any]) -> Fault | None:
    """As `dict_fault`, for a list of objects: each must fit the one in its place."""
    fault: Fault | None = Fault("list_dict_checker:unclear", argument, value)
    for answer in answers:
        if len(value) != len(answer):
            fault = Fault("value_error:list_dict_count", argument, value)
            continue
        found = (
            dict_fault(argument, item, [expected])
            for item, expected in zip(value, answer, strict=True)
        )
        fault = next((each for each in found if each is not None), None)
        if fault is None:
            return None
    return fault
