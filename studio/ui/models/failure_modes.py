"""The trials of a run by whether they passed and what went wrong; kept current by what changed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from studio.engine.analysis.passing import Rule
from studio.engine.outcomes import FailureMode
from studio.engine.records import Finding
from studio.engine.store.rows import TrialRow
from studio.ui.models.verdicts import Place, Verdict, primary, verdict

UNEXPLAINED = "nothing found"
"""The name under which failed trials stand that have no finding."""


class Judged(msgspec.Struct, frozen=True, gc=False):
    """A trial, and the names that it stands under: its modes of failure, the first one first.

    One that is excused or cannot be told stands under that word instead, one that passed nowhere.
    Python's collector does not see them, as it does not see the trials: ten thousand of anything
    that it sees stop the window for 10 ms each time.
    """

    trial: TrialRow
    verdict: Verdict
    names: tuple[str, ...]

    @property
    def place(self) -> Place:
        return (self.trial.position, self.trial.number)

    def stands_under(self, name: str, *, counts_every: bool) -> bool:
        return name in (self.names if counts_every else self.names[:1])


class ModeBar(NamedTuple):
    """One bar of the Pareto chart.

    `share` is of all that the bars count, `cumulative` that of this bar and those before it.
    `name` is a mode of failure, or UNEXPLAINED.
    """

    name: str
    trials: int
    share: float
    cumulative: float


class FailureModes:
    """Counts each trial under the first of its findings, and (apart) under every one of them."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self._known: dict[Place, Judged] = {}
        self._verdicts: Counter[Verdict] = Counter()
        self._first: Counter[str] = Counter()
        self._every: Counter[str] = Counter()

    def update(self, rows: Iterable[TrialRow]) -> list[Judged]:
        """Take in new rows, each in place of the one before it; returns them judged."""
        taken = []
        for row in rows:
            judged = judge(row, self.rules)
            before = self._known.get(judged.place)
            if before is not None:
                self._count(before, -1)
            self._known[judged.place] = judged
            self._count(judged, 1)
            taken.append(judged)
        return taken

    def __len__(self) -> int:
        """How many trials began."""
        return len(self._known)

    def count(self, of: Verdict) -> int:
        return self._verdicts[of]

    @property
    def decided(self) -> int:
        """How many trials passed or did not."""
        return self.count(Verdict.PASSED) + self.count(Verdict.NOT_PASSED)

    def bars(self, *, counts_every: bool = False) -> list[ModeBar]:
        """The modes by how many trials they befell, most first; what nothing explains comes last.

        `counts_every`: a trial counts under each mode that was found in it, not the first alone.
        """
        counts = self._every if counts_every else self._first
        names = sorted(filter(counts.__getitem__, _ORDER), key=lambda name: _rank(name, counts))
        total, so_far, bars = sum(counts[name] for name in names), 0, []
        for name in names:
            so_far += counts[name]
            bars.append(ModeBar(name, counts[name], counts[name] / total, so_far / total))
        return bars

    def _count(self, judged: Judged, by: int) -> None:
        self._verdicts[judged.verdict] += by
        for name in judged.names[:1]:
            self._first[name] += by
        for name in judged.names:
            self._every[name] += by


def judge(trial: TrialRow, rules: Sequence[Rule]) -> Judged:
    found = verdict(trial, rules)
    return Judged(trial, found, _names(trial, found))


def finding_of(trial: TrialRow, name: str) -> Finding | None:
    """The finding for which a trial stands under this name; else the first that it has."""
    named = (each for each in trial.findings if each.mode == name)
    return next(named, None) or primary(trial)


def _names(trial: TrialRow, found: Verdict) -> tuple[str, ...]:
    match found:
        case Verdict.NOT_PASSED:
            modes = dict.fromkeys(each.mode.value for each in trial.findings)
            return tuple(modes) or (UNEXPLAINED,)
        case Verdict.EXCUSED | Verdict.UNDECIDED:
            return (found.value,)
        case _:
            return ()


def _rank(name: str, counts: Counter[str]) -> tuple[bool, int, int]:
    return name == UNEXPLAINED, -counts[name], _ORDER[name]


_ORDER = {
    name: place
    for place, name in enumerate([mode.value for mode in FailureMode] + [UNEXPLAINED])
    if name != FailureMode.NOT_THE_AGENT
}
