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


class Followed(NamedTuple):
    """Whether one instruction is followed; None where that cannot be said, and why."""

    id: str
    is_followed: bool | None
    reason: str = ""


class Manner(NamedTuple):
    """How responses are held against instructions."""

    is_loose: bool
    is_published: bool


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
    tried = variants(response) if manner.is_loose else [response]
    texts = [text for text in dict.fromkeys(tried) if text.strip()]
    return [_followed(texts, each, manner, known) for each in instructions]


def variants(response: str) -> list[str]:
    """The response as it is, and the seven others that the loose reading accepts."""
    lines = response.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    plain = [response, *cut]
    return [*plain, *(text.replace("*", "") for text in plain)]


def _followed(
    texts: Sequence[str], instruction: Instruction, manner: Manner, known: Mapping[str, Rule]
) -> Followed:
    rule = known.get(instruction.id)
    if rule is None:
        return Followed(instruction.id, None, "there is no such instruction")
    asked = Asked(instruction.arguments, manner.is_published)
    try:
        return Followed(instruction.id, any(rule(text, asked) for text in texts))
    except Unclear as unclear:
        return Followed(instruction.id, None, str(unclear))


def follow_within_limits(
    response: str, instructions: Sequence[Instruction], manner: Manner, known: Mapping[str, Rule]
) -> list[Followed]:
    """As `follow`, but a child checks a long response, and is ended if it takes too long."""
    if len(response) < _LONG:
        return follow(response, instructions, manner, known)
    request = {"response": response, "manner": manner, "ids": list(known)}
    request["instructions"] = [(each.id, dict(each.arguments)) for each in instructions]
    try:
        return [Followed(*each) for each in ask("instructions", request, _SECONDS)]
    except (TookTooLong, Failed) as error:
        return [Followed(each.id, None, f"the check {error}") for each in instructions]


def carry_out(request: dict[str, Any]) -> list[Followed]:
    """In the child."""
    instructions = [Instruction(*each) for each in request["instructions"]]
    known = {id: ALL[id] for id in request["ids"]}
    return follow(request["response"], instructions, Manner(*request["manner"]), known)
