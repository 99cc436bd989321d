"""Scores and findings on their way to the disk: what was thought of trials, last word only."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from studio.engine.plain import plain, plain_text
from studio.engine.records import Finding, Score
from studio.engine.store.groups import Row, in_groups
from studio.engine.store.operations import Judged

_MAX_REASON = 2_000
"""Characters."""

_MAX_EVIDENCE = 16_384
"""Bytes; longer evidence is left out: a figure that needs it is then not scored."""

_MAX_FINDINGS = 64
_ROW = 100


class Opinions:
    """Folds judgements of trials into rows; `write` may be tried again.

    `criteria` holds, by run, the JSON of what its trials are judged by from now on.
    """

    def __init__(self) -> None:
        self.criteria: dict[int, str] = {}
        self._afresh: set[int] = set()
        self._scores: dict[int, dict[str, Score]] = {}
        self._findings: dict[int, tuple[Finding, ...]] = {}

    def add(self, judged: Judged) -> int:
        """Take one judgement in; returns about how many bytes it takes."""
        trial = judged.trial
        if judged.afresh:
            self._afresh.add(trial)
            self._scores.pop(trial, None)
        found = self._scores.setdefault(trial, {})
        for score in judged.scores:
            found[score.metric] = score
        self._findings[trial] = judged.findings[:_MAX_FINDINGS]
        texts = [each.reason for each in judged.scores] + [each.reason for each in judged.findings]
        return sum(_ROW + len(text) for text in texts)

    def write(self, connection: sqlite3.Connection, changed: int) -> None:
        """Write all of it, as a part of the transaction that is open.

        `changed` is the highest value before that transaction: trials at or below it are not
        judged by the new criteria yet.
        """
        write = connection.executemany
        write(
            "INSERT OR REPLACE INTO criteria (run, body, changed) VALUES (?, ?, ?)",
            [(run, body, changed) for run, body in self.criteria.items()],
        )
        self._drop(connection, "scores", self._afresh)
        _insert(
            connection,
            "INSERT OR REPLACE INTO scores (trial, metric, version, value, reason, evidence)",
            [_row(trial, each) for trial, found in self._scores.items() for each in found.values()],
        )
        self._drop(connection, "findings", self._findings)
        _insert(
            connection,
            "INSERT INTO findings (trial, place, mode, reason, event)",
            [row for trial in self._findings for row in self._found(trial)],
        )

    def _drop(self, connection: sqlite3.Connection, table: str, trials: Iterable[int]) -> None:
        connection.execute(
            f"DELETE FROM {table} WHERE trial IN (SELECT value FROM json_each(?))",
            (json.dumps(list(trials)),),
        )

    def _found(self, trial: int) -> Iterator[tuple[object, ...]]:
        for place, finding in enumerate(self._findings[trial]):
            reason = plain_text(finding.reason, _MAX_REASON)
            yield trial, place, finding.mode.value, reason, finding.event


def _insert(connection: sqlite3.Connection, statement: str, rows: Sequence[Row]) -> None:
    for places, values in in_groups(rows):
        connection.execute(f"{statement} VALUES {places}", values)


def _row(trial: int, score: Score) -> tuple[object, ...]:
    reason = plain_text(score.reason, _MAX_REASON)
    return trial, score.metric, score.version, score.value, reason, _evidence(score)


def _evidence(score: Score) -> str | None:
    if not score.evidence:
        return None
    written = msgspec.json.encode(plain(score.evidence)).decode()
    return written if len(written) <= _MAX_EVIDENCE else None
