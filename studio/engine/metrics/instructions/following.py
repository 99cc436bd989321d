"""Which instructions a response follows, strictly or loosely."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from studio.engine.metrics.instructions.asked import Asked, Rule, Unclear
from studio.engine.metrics.instructions.registry import ALL
from studio.engine.metrics.limited import Failed, TookTooLong, ask
from studio.engine.records import Instruction

_LONG = 10_000
"""From so many characters on a child checks: some checks take the square of them."""
_SECONDS = 20.0
_CHARACTERS_A_SECOND = 10_000
"""So many more give a check another second: parting 300,000 into words takes several."""


class Followed(NamedTuple):
    """Whether one instruction is followed; None where that cannot be said, and why.

    `strictly` and `loosely` say it for both readings: None also where the other one was not asked.
    """

    id: str
    is_followed: bool | None
    reason: str = ""
    strictly: bool | None = None
    loosely: bool | None = None


class Manner(NamedTuple):
    """How responses are held against instructions; `tells_both`: by the other reading, too."""

    is_loose: bool
    is_published: bool
    tells_both: bool = False


def follow(
    response: str,
    instructions: Sequence[Instruction],
    manner: Manner,
    known: Mapping[str, Rule] = ALL,
) -> list[Followed]:
    """One verdict an instruction, in their order.  An id that is not `known` has none.

    Loosely: followed if any of eight variants follows: with and without asterisks, and without
    the first line, the last line, or both.  A blank response or variant follows nothing.
    """
    texts = [text for text in dict.fromkeys(variants(response)) if text.strip()]
    is_blank = not response.strip()
    readings = ([] if is_blank else texts[:1], texts if is_blank else texts[1:])
    return [_followed(readings, each, manner, known) for each in instructions]


def variants(response: str) -> list[str]:
    """The response as it is, and the seven others that the loose reading accepts."""
    lines = response.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    plain = [response, *cut]
    return [*plain, *(text.replace("*", "") for text in plain)]


def _followed(
    readings: tuple[Sequence[str], Sequence[str]],
    instruction: Instruction,
    manner: Manner,
    known: Mapping[str, Rule],
) -> Followed:
    """`readings`: the response itself, and what the loose reading accepts in its place."""
    id, rule = instruction.id, known.get(instruction.id)
    if rule is None:
        return Followed(id, None, "there is no such instruction")
    asked = Asked(instruction.arguments, manner.is_published)
    strictly = loosely = None
    reason = ""
    try:
        strictly = any(rule(text, asked) for text in readings[0])
        if strictly or manner.is_loose or manner.tells_both:
            loosely = strictly or any(rule(text, asked) for text in readings[1])
    except Unclear as unclear:
        reason = str(unclear)
    own = loosely if manner.is_loose else strictly
    return Followed(id, own, reason if own is None else "", strictly, loosely)


def follow_within_limits(
    response: str, instructions: Sequence[Instruction], manner: Manner, known: Mapping[str, Rule]
) -> list[Followed]:
    """As `follow`, but a child checks a long response, and is ended if it takes too long.

    The other reading is asked for short responses only.
    """
    if len(response) < _LONG:
        return follow(response, instructions, manner._replace(tells_both=True), known)
    request = {"response": response, "manner": manner, "ids": list(known)}
    seconds = _SECONDS + len(response) / _CHARACTERS_A_SECOND
    request["instructions"] = [(each.id, dict(each.arguments)) for each in instructions]
    try:
        return [Followed(*each) for each in ask("instructions", request, seconds)]
    except (TookTooLong, Failed) as error:
        return [Followed(each.id, None, f"the check {error}") for each in instructions]


def carry_out(request: dict[str, Any]) -> list[Followed]:
    """In the child."""
    instructions = [Instruction(*each) for each in request["instructions"]]
    known = {id: ALL[id] for id in request["ids"]}
    return follow(request["response"], instructions, Manner(*request["manner"]), known)
