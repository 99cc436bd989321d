"""Does the answer follow the instructions?  IFEval's 25 and IFBench's 58."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from typing_extensions import override

from studio.engine.analysis.summary import Scale
from studio.engine.metrics.answers.base import given_in, text_of
from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.records import Instruction, JsonObject, Query
from studio.engine.trace import Trace

if TYPE_CHECKING:
    from studio.engine.metrics.instructions.asked import Rule
    from studio.engine.metrics.instructions.following import Followed

Reading = Literal["strict", "loose"]
Level = Literal["prompt", "instruction"]

_MOST_TOLD = 8


class _Instructions(Metric, frozen=True):
    tells_success: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("instruction_id_list",)

    mode: Mode = "corrected"
    reading: Reading = "strict"
    level: Level = "prompt"

    @property
    @override
    def scale(self) -> Scale:
        return Scale(self.lowest, self.highest, self.level == "prompt", self.average)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        instructions = query.expected.instructions
        if not instructions:
            return Verdict(None, "the query states no instructions (expected: instructions)")
        missed = no_answer(trace)
        if missed:
            return Verdict(0.0, missed)
        return self._on(trace.answer or "", instructions)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case as the benchmarks write it: ids, kwargs and the response."""
        instructions = _instructions_of(case)
        response = given_in(case)
        return self._on(text_of(response) if response is not None else "", instructions)

    def _on(self, answer: str, instructions: Sequence[Instruction]) -> Verdict:
        # The window's process lists metrics and checks nothing: it need not load the checks.
        from studio.engine.metrics.instructions.following import Manner, follow_within_limits

        manner = Manner(self.reading == "loose", self.mode == "published")
        found = follow_within_limits(answer, instructions, manner, self._known())
        return _verdict(found, self.level)

    def _known(self) -> "Mapping[str, Rule]":
        raise NotImplementedError


def _instructions_of(case: JsonObject) -> list[Instruction]:
    ids, kwargs = case["instruction_id_list"], case.get("kwargs")
    if not isinstance(ids, list) or not ids or not all(isinstance(id, str) for id in ids):
        raise ValueError("instruction_id_list must be a list of ids")
    kwargs = [{}] * len(ids) if kwargs is None else kwargs
    if not isinstance(kwargs, list) or len(kwargs) != len(ids):
        raise ValueError("kwargs must be a list of as many objects as there are ids")
    if not all(isinstance(each, dict | None) for each in kwargs):
        raise ValueError("kwargs must be a list of objects")
    return [Instruction(id, each or {}) for id, each in zip(ids, kwargs, strict=True)]


def _verdict(found: "Sequence[Followed]", level: Level) -> Verdict:
    evidence = {"instructions": [each._asdict() for each in found]}
    unclear = [each for each in found if each.is_followed is None]
    broken = [each.id for each in found if each.is_followed is False]
    if unclear and not (broken and level == "prompt"):
        told = "; ".join(f"{each.id}: {each.reason}" for each in unclear[:_MOST_TOLD])
        return Verdict(None, f"it cannot be said whether all are followed: {told}", evidence)
    followed = len(found) - len(broken) - len(unclear)
    value = float(not broken) if level == "prompt" else followed / len(found)
    told = f"; not {', '.join(broken[:_MOST_TOLD])}" if broken else ""
    return Verdict(value, f"{followed} of {len(found)} instructions followed{told}", evidence)


class IFEval(_Instructions, frozen=True):
    """The instructions of IFEval that the answer follows: all of them, or their share.

    `level`: "prompt" is 1 if every instruction is followed, else 0; "instruction" is the share
    followed (for the benchmark's figure weigh each trial with its number of instructions).
    `reading`: "strict" takes the answer as it is; "loose" accepts any of eight variants: with and
    without asterisks, and without the first line, the last, or both.  Not scored when the query
    states no instruction, or one that is unknown or unclear.  No answer scores 0.

    Published (the code of IFEval, Zhou et al. 2023): every check to the letter; where it would
    draw an argument at random the answer is not scored.  Corrected: see the help page.
    """

    name: ClassVar[str] = "ifeval"
    title: ClassVar[str] = "IFEval"
    version: ClassVar[str] = "2"

    @override
    def _known(self) -> "Mapping[str, Rule]":
        from studio.engine.metrics.instructions.registry import IFEVAL

        return IFEVAL


class IFBench(_Instructions, frozen=True):
    """The instructions of IFBench that the answer follows: all of them, or their share.

    As `ifeval`, with the 58 instructions of IFBench beside the 25 of IFEval (its registry holds
    both).  IFBench's headline figure is level "prompt", reading "loose".

    Published (the code of IFBench, Pyatkin et al. 2025, version 0.2.0).
    """

    name: ClassVar[str] = "ifbench"
    title: ClassVar[str] = "IFBench"
    version: ClassVar[str] = "2"

    @override
    def _known(self) -> "Mapping[str, Rule]":
        from studio.engine.metrics.instructions.registry import ALL

        return ALL
