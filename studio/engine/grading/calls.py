"""The turns of a case: what the agent said, the calls it made, and what came back."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from studio.engine.grading.fields import BadCase, answer_of, decoded
from studio.engine.grading.results import Results, as_text, as_written, ids_in, text_in
from studio.engine.metrics.answers.base import first_of
from studio.engine.metrics.call_text import NotCarriedOut, Unreadable, read_calls
from studio.engine.metrics.trajectory.messages import BadMessages, read_messages
from studio.engine.records import JsonObject

CALLS = (
    "calls",
    "tool_calls",
    "agent_trace",
    "trace",
    "steps",
    "intermediate_steps",
    "tools_called",
    "actual_calls",
    "detected_calls",
    "predicted_calls",
    "actual",
)
"""What the calls that were made may be called."""
_MAY_BE_ONE = ("calls", "tool_calls", "actual")
_USERS = ("user", "user_query", "query", "user_message", "input", "question")
_REPLIES = ("agent", "agent_response", "response", "assistant", "answer", "reply", "output")
_NAMES = ("name", "tool_name", "tool", "function")
_ARGUMENTS = ("arguments", "args", "input", "tool_input", "parameters")
_RESULTS = ("result", "output", "content", "observation")


class Done(NamedTuple):
    """A call that was made; `result` is None where nothing came back."""

    id: str
    name: str
    arguments: JsonObject
    result: str | None = None
    error: str | None = None


class Turn(NamedTuple):
    """One reply of the model, with the calls that it held.

    `user` is what the user said just before it; None where nothing new was said.
    """

    text: str
    calls: tuple[Done, ...] = ()
    user: str | None = None


def turns_of(case: JsonObject) -> list[Turn]:
    """The turns of a case: its messages, its turns, or its calls and answer.  Raises BadCase."""
    if case.get("messages") is not None:
        return _from_messages(case["messages"])
    conversation = case.get("conversation", case.get("transcript"))
    if conversation is not None:
        return _from_messages(as_messages(conversation))
    if isinstance(case.get("turns"), list):
        return _from_turns(case["turns"])
    listed = next((case[key] for key in CALLS if isinstance(case.get(key), list)), None)
    if listed is None:
        # One call may stand without a list around it.
        ones = (case.get(key) for key in _MAY_BE_ONE)
        listed = [one for one in ones if isinstance(one, dict) and one][:1]
    calls = (read_call(item, place) for place, item in enumerate(listed))
    turns = [Turn("", (call,)) for call in calls]
    answer = answer_of(case)
    return turns if answer is None else [*turns, Turn(answer)]


def read_call(item: Any, place: int) -> Done:
    """A call as `{"name", "arguments", "result"}`, in another usual shape, as text, or a name."""
    if isinstance(item, str):
        return _read_text(item, place) if item.endswith(")") else Done(f"c{place}", item, {})
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], dict):
        item = {**item[0], "result": item[1]}
    if not isinstance(item, dict):
        raise BadCase(f"call {place + 1} is a {type(item).__name__}")
    inner = item.get("function")
    if isinstance(inner, Mapping):
        item = {**item, **inner}
    name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
    arguments = next((item[key] for key in _ARGUMENTS if key in item), None)
    if name is None and len(item) == 1:
        [(name, arguments)] = item.items()
    if name is None:
        raise BadCase(f"call {place + 1} has no name")
    result, error = as_text(first_of(item, _RESULTS)), as_text(item.get("error"))
    return Done(f"c{place}", name, _arguments(arguments, place), result, error or None)


def _read_text(text: str, place: int) -> Done:
    """A call written as Python writes it, `f(a=1)`: read, and nothing of it run."""
    try:
        [call] = read_calls(text)
    except (Unreadable, NotCarriedOut, ValueError):
        raise BadCase(f"call {place + 1} cannot be read: {text!r:.60}") from None
    [(name, arguments)] = call.items()
    if not arguments and not text.endswith("()"):
        raise BadCase(f"the arguments of call {place + 1} have no names")
    return Done(f"c{place}", name, arguments)


def _arguments(value: Any, place: int) -> JsonObject:
    if isinstance(value, str):
        try:
            value = decoded(value)
        except (ValueError, RecursionError):
            raise BadCase(f"the arguments of call {place + 1} are no JSON") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadCase(f"the arguments of call {place + 1} are no object")
    return value


def _from_turns(listed: list[Any]) -> list[Turn]:
    """Turns of a conversation: what the user said, the calls made for it, and the reply."""
    turns, place = [], 0
    for number, item in enumerate(listed, 1):
        user = item.get(_first(_USERS, item)) if isinstance(item, dict) else None
        if not isinstance(user, str):
            raise BadCase(f"turn {number} does not say what the user said")
        calls = item.get(_first(CALLS, item)) or []
        if not isinstance(calls, list):
            raise BadCase(f"the calls of turn {number} are no list")
        done = tuple(read_call(call, place + at) for at, call in enumerate(calls))
        place += len(done)
        reply = as_text(item.get(_first(_REPLIES, item))) or ""
        if done:
            turns.append(Turn("", done, user))
        turns.append(Turn(reply, user=None if done else user))
    return turns


def _first(keys: tuple[str, ...], item: JsonObject) -> str:
    return next((key for key in keys if item.get(key) is not None), keys[0])


def as_messages(conversation: Any) -> Any:
    """A transcript of `{"role": "user" or "agent", "text"}` as messages."""
    if not isinstance(conversation, list):
        return conversation
    return [_as_message(item) if isinstance(item, dict) else item for item in conversation]


def _as_message(item: JsonObject) -> JsonObject:
    role = "assistant" if item.get("role") == "agent" else item.get("role")
    content = item.get("content", item.get("text"))
    return {**item, "role": role, "content": content}


def _from_messages(messages: Any) -> list[Turn]:
    try:
        read = read_messages(messages)
    except BadMessages as error:
        raise BadCase(f"messages: {error}") from None
    raw = (
        messages["messages"] if isinstance(messages, dict) and "messages" in messages else messages
    )
    raw = raw if isinstance(raw, list) else [raw]
    results = Results(read, raw)
    turns, place = [], 0
    said: list[str] = []
    for message, each in zip(read, raw, strict=True):
        if message.role == "user":
            said.append(text_in(as_written(each)))
        if message.role != "assistant":
            continue
        calls = []
        for call, id in zip(message.calls or (), ids_in(message, each), strict=True):
            if not isinstance(call.name, str):
                raise BadCase(f"call {place + 1} has no name")
            arguments = _arguments(call.arguments, place)
            back = results.of(id)
            calls.append(Done(f"c{place}", call.name, arguments, back.result, back.error))
            place += 1
        turns.append(
            Turn(text_in(as_written(each)), tuple(calls), "\n".join(said) if said else None)
        )
        said = []
    return turns
