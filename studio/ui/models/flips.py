"""Which queries changed sides against another run, kept current as trials of this one end."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from studio.engine.analysis.flips import Flips, between_runs, sign_test
from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import TrialRow
from studio.ui.models.repeats import Repeats
from studio.ui.models.verdicts import Place
from studio.ui.text import counted

CELLS = ("pass_pass", "pass_fail", "fail_pass", "fail_fail")
"""The cells of the matrix, by whether the other run's trial passed, then this run's."""
_COUNTS = ("undecided", "unpaired", "changed", "better", "worse")


class Against:
    """Pairs of trials of two runs, judged by the same rules; `ours` is kept elsewhere."""

    def __init__(self, rules: Sequence[Rule] = (), ours: Repeats | None = None) -> None:
        self._rules = tuple(rules)
        self._ours = ours if ours is not None else Repeats()
        self._theirs: dict[str, dict[Place, TrialRow]] = {}
        self._flips: dict[str, Flips] = {}
        self._counts: Counter[str] = Counter()
        self._met: Counter[str] = Counter()

    def take_theirs(self, rows: Iterable[TrialRow]) -> None:
        """Take in trials of the other run."""
        changed = set()
        for row in rows:
            if row.outcome is not None:
                self._theirs.setdefault(row.query_id, {})[row.position, row.number] = row
                changed.add(row.query_id)
        self._compare(changed)

    def follow_ours(self, rows: Iterable[TrialRow]) -> None:
        """These trials of this run are new or changed."""
        self._compare({row.query_id for row in rows} & self._theirs.keys())

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of the other run."""
        return not self._theirs

    def count(self, of: str) -> int:
        """Pairs in one of the CELLS, or one of the counts of `Flips`."""
        alone = self._ours.ended - self._met.total() if of == "unpaired" else 0
        return self._counts[of] + alone

    def queries_in(self, cell: str) -> frozenset[str]:
        """The ids of the queries with a pair in a cell."""
        return frozenset(query for query, flips in self._flips.items() if getattr(flips, cell))

    def told(self) -> list[str]:
        """What there is to say beside the matrix, line by line."""
        better, worse = self.count("better"), self.count("worse")
        chance = sign_test(better, worse)
        lines = [f"{counted(better, 'query', 'queries')} better, {worse:,} worse"]
        if chance is None:
            lines.append("No query changed sides.")
        else:
            lines.append(f"Exact sign test over queries, two-sided: p = {chance:.2g}")
        left_out = [
            f"{self.count(name):,} {word}"
            for name, word in (
                ("undecided", "excused or without a score that tells"),
                ("unpaired", "in one of the runs only"),
                ("changed", "whose query was changed"),
            )
            if self.count(name)
        ]
        if left_out:
            lines.append(f"Not compared: {', '.join(left_out)}.")
        return lines

    def _compare(self, queries: Iterable[str]) -> None:
        for query in queries:
            before, ours = self._flips.get(query), self._ours.trials_with(query)
            found = between_runs(self._theirs[query].values(), ours, self._rules)
            if before is not None:
                self._counts.subtract(_counts(before))
            self._counts.update(_counts(found))
            self._flips[query] = found
            self._met[query] = len(ours)


def _counts(flips: Flips) -> dict[str, int]:
    counts = {name: getattr(flips, name) for name in _COUNTS}
    return counts | {cell: len(getattr(flips, cell)) for cell in CELLS}


class Cell(NamedTuple):
    """A cell of the matrix in words."""

    name: str
    was: bool
    is_now: bool

    @property
    def word(self) -> str:
        match self.was, self.is_now:
            case True, True:
                return "passed in both"
            case True, False:
                return "does not pass any more"
            case False, True:
                return "passes now"
            case _:
                return "passed in neither"


MATRIX = tuple(
    Cell(name, was, is_now)
    for name, (was, is_now) in zip(
        CELLS, ((True, True), (True, False), (False, True), (False, False)), strict=True
    )
)
