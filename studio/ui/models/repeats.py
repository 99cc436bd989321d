"""How often each query passed, kept current as its trials end."""

from collections.abc import Iterable, Sequence

from studio.engine.analysis.passing import Rule
from studio.engine.analysis.reliability import KOfN, Reliability, k_of_n, of_queries
from studio.engine.store.rows import TrialRow
from studio.ui.models.order import Key
from studio.ui.models.table import Column, Table
from studio.ui.models.verdicts import Place
from studio.ui.text import one_line

WIDTHS = (0, 10, 14, 10)
"""Of the columns of `QueryTable`, in characters; 0 takes what is left."""


class Repeats:
    """The trials of a run by query.  What changed is counted again, the rest stays."""

    def __init__(self, rules: Sequence[Rule] = (), planned: int = 0) -> None:
        self._rules = tuple(rules)
        self._planned = planned
        self._trials: dict[int, dict[int, TrialRow]] = {}
        self._queries: dict[int, KOfN] = {}
        self._places: dict[str, int] = {}
        self.ended = 0
        """How many trials came to an end."""

    def update(self, rows: Iterable[TrialRow]) -> list[KOfN]:
        """Take in new rows, each in place of the one before it; what is now known of their queries.

        A query is known once one of its trials ended.
        """
        changed: set[int] = set()
        for row in rows:
            known = self._trials.setdefault(row.position, {})
            self.ended += (row.outcome is not None) - _has_ended(known.get(row.number))
            known[row.number] = row
            self._places[row.query_id] = row.position
            changed.add(row.position)
        trials = (row for position in changed for row in self._trials[position].values())
        counted = k_of_n(trials, self._rules)
        self._queries.update((each.position, each) for each in counted)
        return list(counted)

    def reliability(self) -> Reliability:
        places = sorted(self._queries)
        return of_queries([self._queries[place] for place in places], self._planned)

    def trials_of(self, position: int) -> list[TrialRow]:
        trials = self._trials.get(position, {})
        return [trials[number] for number in sorted(trials)]

    def trials_with(self, query_id: str) -> list[TrialRow]:
        """The trials of the query with this id that came to an end."""
        trials = self._trials.get(self._places.get(query_id, -1), {})
        return [trial for trial in trials.values() if trial.outcome is not None]


def _has_ended(row: TrialRow | None) -> bool:
    return row is not None and row.outcome is not None


class QueryTable(Table[KOfN]):
    """One row a query, those that pass least often first; of some queries only, if asked for."""

    def __init__(self) -> None:
        columns = (
            Column("Query", _query, _query, hint=_hint, is_number=False, about="What was asked."),
            Column(
                "Passed", _share, _passed,
                about="How many of its counted trials passed.\nNot counted: trials that were not "
                "the agent's doing, and trials without a score that tells.",
            ),
            Column(
                "95 % interval", _low, _interval,
                about="Wilson's interval of the share that passes.",
            ),
            Column(
                "Flip rate", _flip_rate, _flip_rate_text,
                about="The share of pairs of its trials of which one passed and one did not.",
            ),
        )  # fmt: skip
        super().__init__(columns, identify=query_of, natural=_worst_first)

    def show_only(self, ids: frozenset[str] | None) -> None:
        """Show the queries with these ids; None for all."""
        self.arrange(None if ids is None else _Among(ids))


class _Among:
    def __init__(self, ids: frozenset[str]) -> None:
        self._ids = ids

    def __call__(self, query: KOfN) -> bool:
        return query.query_id in self._ids


def query_of(query: KOfN) -> int:
    return query.position


def worst_place(trials: Sequence[TrialRow], query: KOfN) -> Place:
    """The trial that is worth a look: the first with a finding, else the first."""
    found = next((trial.number for trial in trials if trial.findings), 1)
    return query.position, found


def _worst_first(query: KOfN) -> Key:
    share = query.share
    return (share is None, 0.0 if share is None else share, -query.counted, query.position)


def _query(query: KOfN) -> str:
    return one_line(query.query)


def _hint(query: KOfN) -> str:
    lines = [query.query, f"{query.passed} of {query.counted} counted trials passed"]
    if query.excused:
        lines.append(f"{query.excused} not the agent's doing")
    if query.undecided:
        lines.append(f"{query.undecided} cannot be told")
    return "\n".join(lines)


def _share(query: KOfN) -> float | None:
    return query.share


def _passed(query: KOfN) -> str:
    return f"{query.passed} of {query.counted}"


def _low(query: KOfN) -> float | None:
    return query.low


def _interval(query: KOfN) -> str:
    if query.low is None or query.high is None:
        return "–"
    return f"{query.low:.2f}–{query.high:.2f}"


def _flip_rate(query: KOfN) -> float | None:
    return query.flip_rate


def _flip_rate_text(query: KOfN) -> str:
    return "–" if query.flip_rate is None else f"{query.flip_rate:.2f}"
