"""Whether a case says what was done, and in words what it lacks.

A key that nobody knows is no mistake: cases hold much beside what is graded.  But a case with none
of the keys that say what the agent did says nothing against the agent either.
"""

import difflib
from collections.abc import Iterable

from studio.engine.grading.calls import CALLS
from studio.engine.grading.expected import BESIDE
from studio.engine.grading.fields import ANSWERS, BadCase
from studio.engine.records import JsonObject

_CONVERSATIONS = frozenset(("messages", "turns", "conversation", "transcript"))
_SAY_ANSWER = _CONVERSATIONS.union(ANSWERS)
_SAY_SOMETHING = _SAY_ANSWER.union(CALLS, ("outcome", "failure", "seconds", "tokens"))
_WRITE = "write answer (or response, output, prediction; null if there was none)"
_TALKS = "messages or turns"
_MOST_FOUND = 8
_LONGEST_KEY = 40


def says_answer(case: JsonObject) -> bool:
    """Whether the case says if an answer was given, be it that there was none."""
    if not _SAY_ANSWER.isdisjoint(case):
        return True
    return "actual" in case and not isinstance(case["actual"], list | dict | bool)


def check_something_is_said(case: JsonObject, own: Iterable[str]) -> None:
    """Raises BadCase for a case that does not say what was done.

    `own` are the keys of the benchmark whose shape the case might have been meant to have.
    """
    if _SAY_SOMETHING.isdisjoint(case):
        shape = f", or {' or '.join(list(own)[:3])} as its benchmark does" if own else ""
        found = _found(case, _SAY_SOMETHING.union(own))
        raise BadCase(f"it does not say what was done: {_WRITE}, calls, {_TALKS}{shape}; {found}")


def check_no_call_is_meant(case: JsonObject) -> None:
    """Raises BadCase unless a case in which no call was read says that there was none.

    Whoever tells the answer alone says so, too, if no other key seems to be meant for calls.
    """
    for key in CALLS:
        if key.endswith("calls") and not isinstance(case.get(key), list | None):
            raise BadCase(f"{key} must be a list of calls")
    if not _CONVERSATIONS.isdisjoint(case):
        return
    if any(key in case and isinstance(case[key], list | None) for key in CALLS):
        return
    for key in case:
        if isinstance(case[key], list) and key not in BESIDE and (close := _close(key, CALLS)):
            raise BadCase(f"it holds no calls: is {key} meant for {close}?")
    if not says_answer(case):
        found = _found(case, _SAY_SOMETHING)
        raise BadCase(f"it does not say which calls were made: write calls (null: none); {found}")


def unsaid_answer(case: JsonObject) -> str:
    """What a case lacks of which it is not known whether an answer was given."""
    found = _found(case, _SAY_ANSWER)
    return f"the case does not say what was answered: {_WRITE}, {_TALKS}; {found}"


def _found(case: JsonObject, known: frozenset[str]) -> str:
    """The keys that there are, and which of them may be misspelt."""
    keys = [str(key)[:_LONGEST_KEY] for key in case]
    told = ", ".join(keys[:_MOST_FOUND]) or "no keys"
    for key in keys:
        if key not in known and (close := _close(key, known)):
            return f"it has {told}: is {key} meant for {close}?"
    return f"it has {told}"


def _close(key: str, known: Iterable[str]) -> str | None:
    """The name that a key may have been meant for."""
    return next(iter(difflib.get_close_matches(str(key)[:_LONGEST_KEY], known, 1, 0.8)), None)
