"""Why a metric gave trials no value: its reasons, the most frequent first."""

from collections import Counter
from collections.abc import Iterator, Sequence

from studio.engine.records import Record, Score

_MOST = 2
_LONGEST = 200


class Unscored(Record, frozen=True):
    """Why a metric gave so many trials no value: the first line of what it said."""

    reason: str
    trials: int


class Reasons:
    """The reasons of one metric, kept current with its scores.

    Trials that ended without an answer by no doing of the agent are left out: they have the same
    reason for every metric, and are told of by themselves.
    """

    def __init__(self) -> None:
        self._said: Counter[str] = Counter()

    def add(self, score: Score, *, is_excused: bool) -> None:
        if score.value is None and not is_excused:
            self._said[_first_line(score)] += 1

    def remove(self, score: Score, *, is_excused: bool) -> None:
        """Take a score back that was added: the trial is judged otherwise now."""
        if score.value is None and not is_excused:
            reason = _first_line(score)
            self._said[reason] -= 1
            if not self._said[reason]:
                del self._said[reason]

    def most_frequent(self) -> tuple[Unscored, ...]:
        """All of them; those of equally many trials by their words."""
        ranked = sorted(self._said.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Unscored(reason, trials) for reason, trials in ranked)


def _first_line(score: Score) -> str:
    return score.reason.partition("\n")[0]


def in_words(unscored: Sequence[Unscored]) -> Iterator[str]:
    """The most frequent in words, and how many trials have another reason."""
    for each in unscored[:_MOST]:
        yield f"{each.trials:,} not scored: {_short(each.reason)}"
    if others := unscored[_MOST:]:
        trials = sum(each.trials for each in others)
        reasons = "another reason" if len(others) == 1 else f"{len(others):,} other reasons"
        yield f"{trials:,} not scored for {reasons}"


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
