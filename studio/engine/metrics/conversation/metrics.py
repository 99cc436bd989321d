"""Memory, recovery and coherence over the turns of a conversation."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from studio.engine.metrics.arguments import shown, shown_call
from studio.engine.metrics.base import Metric, Verdict
from studio.engine.metrics.conversation.memory import (
    Chance,
    chances_in,
    corrections_in,
    stale_calls,
)
from studio.engine.metrics.conversation.stated import (
    BadConversation,
    Correction,
    Wanted,
    checked,
    is_met,
    is_taken_up,
    wanted_by,
)
from studio.engine.metrics.conversation.turns import Turn, turns_of
from studio.engine.records import Query
from studio.engine.trace import Trace

_MOST_TOLD = 3


class ConversationMetric(Metric, frozen=True):
    """Base: reads the turns of the trial.  Not scored where the user spoke once."""

    reads: ClassVar[tuple[str, ...]] = ("conversation",)

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            return self.of(wanted_by(query), checked(turns_of(trace)))
        except BadConversation as error:
            return Verdict(None, str(error))

    def of(self, wanted: Wanted, turns: Sequence[Turn]) -> Verdict:
        """The verdict on two turns or more.  Pure."""
        raise NotImplementedError


def _corrections(wanted: Wanted, turns: Sequence[Turn]) -> Sequence[Correction]:
    return corrections_in(turns) if wanted.corrections is None else wanted.corrections


class MemoryScore(ConversationMetric, frozen=True):
    """Turns in which the agent remembered / turns in which it had to.

    Turns that need memory are those that the query states, or those whose calls show it (see
    `chances_in`).  Range 0 to 1.  Not scored: if no turn needs any.
    Source: the second guide; the definition is the studio's own, as the guide gives none.
    """

    name: ClassVar[str] = "memory_score"
    title: ClassVar[str] = "Memory score"

    @override
    def of(self, wanted: Wanted, turns: Sequence[Turn]) -> Verdict:
        if wanted.memory is None:
            chances = chances_in(turns, _corrections(wanted, turns))
        else:
            chances = [Chance(each.turn, is_met(turns, each)) for each in wanted.memory]
        if not chances:
            return Verdict(None, "no turn needs anything that was said earlier")
        met = [chance.turn for chance in chances if chance.is_met]
        missed = [chance.turn for chance in chances if not chance.is_met]
        words = f"remembered in {len(met)} of {len(chances)} turns that need it"
        if missed:
            words += f"; not in turn {', '.join(map(str, missed[:_MOST_TOLD]))}"
        evidence = {"remembered": met, "forgotten": missed}
        return Verdict(len(met) / len(chances), words, evidence)


class ErrorRecovery(ConversationMetric, frozen=True):
    """1 if each correction by the user is followed by a call with the new value, else 0.

    Corrections are those that the query states, or those that show in the text (see
    `corrections_in`).  Not scored: without a correction.  Source: as for the memory score.
    """

    name: ClassVar[str] = "error_recovery"
    title: ClassVar[str] = "Error recovery"
    is_binary: ClassVar[bool] = True

    @override
    def of(self, wanted: Wanted, turns: Sequence[Turn]) -> Verdict:
        corrections = _corrections(wanted, turns)
        if not corrections:
            return Verdict(None, "the user corrects nothing")
        lost = [each for each in corrections if not is_taken_up(turns, each)]
        if not lost:
            return Verdict(1.0, f"taken up: {_told(corrections)}", {"lost": []})
        evidence = {"lost": [each.turn for each in lost]}
        return Verdict(0.0, f"no call uses the new value: {_told(lost)}", evidence)


class TurnCoherence(ConversationMetric, frozen=True):
    """1 if no call uses a value after the user has put it right, else 0.

    Not scored: without a correction, as there is nothing to keep straight.  Source: as for the
    memory score.
    """

    name: ClassVar[str] = "turn_coherence"
    title: ClassVar[str] = "Coherence of turns"
    is_binary: ClassVar[bool] = True

    @override
    def of(self, wanted: Wanted, turns: Sequence[Turn]) -> Verdict:
        corrections = _corrections(wanted, turns)
        if not corrections:
            return Verdict(None, "the user corrects nothing")
        stale = stale_calls(turns, corrections)
        if not stale:
            return Verdict(1.0, "no call uses a value that was put right before", {"stale": []})
        number, call, correction = stale[0]
        made = shown_call(call.name, call.arguments)
        words = f"turn {number}: {made}, although it is {shown(correction.new)} since turn "
        evidence = {"stale": sorted({number for number, _, _ in stale})}
        return Verdict(0.0, f"{words}{correction.turn}", evidence)


def _told(corrections: Sequence[Correction]) -> str:
    return ", ".join(
        f"{shown(each.new)} for {shown(each.old)} in turn {each.turn}"
        for each in corrections[:_MOST_TOLD]
    )
