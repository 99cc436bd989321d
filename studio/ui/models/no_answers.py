"""The trials of a run that gave no answer, kept current: by whose doing, and which are invalid."""

from collections.abc import Iterable

from studio.engine.again import invalid
from studio.engine.analysis.failures import excused, failures, in_words
from studio.engine.store.rows import TrialRow
from studio.ui.text import count, counted

Place = tuple[int, int]


class NoAnswers:
    """Counts the failures of one run.  A row takes the place of the one before it."""

    def __init__(self) -> None:
        self._failed: dict[Place, TrialRow] = {}

    def update(self, rows: Iterable[TrialRow]) -> None:
        for row in rows:
            place = (row.position, row.number)
            if row.failure is not None:
                self._failed[place] = row
            else:
                self._failed.pop(place, None)

    @property
    def invalid(self) -> list[TrialRow]:
        """Those whose prompt or reply did not fit the window."""
        return invalid(self._failed.values())

    @property
    def excused(self) -> int:
        """How many were not the agent's doing."""
        return sum(row.is_excused for row in self._failed.values())

    def told(self) -> str:
        """One line on all of them; "" for none."""
        counts = failures(self._failed.values())
        others = excused(counts)
        own = {each: number for each, number in counts.items() if each not in others}
        parts = []
        if others:
            amount = counted(sum(others.values()), "trial")
            parts.append(f"{amount} not the agent's doing: {in_words(others)}")
        if own:
            kind = "without an answer" if not others else "more without an answer"
            parts.append(f"{count(sum(own.values()))} {kind}: {in_words(own)}")
        return " · ".join(parts)
