"""Scores and findings on their way to the disk: what was thought of trials, last word only."""

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from studio.engine.plain import plain, plain_text
from studio.engine.records import Finding, Score
from studio.engine.store.groups import Row, in_groups
from studio.engine.store.operations import FindingRow, Judged, ScoreRow

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
        self._scores: dict[int, dict[str, ScoreRow]] = {}
        self._findings: dict[int, tuple[FindingRow, ...]] = {}

    def add(self, judged: Judged) -> int:
        """Take one judgement in; returns about how many bytes it takes."""
        trial = judged.trial
        if judged.afresh:
            self._afresh.add(trial)
            self._scores.pop(trial, None)
        found = self._scores.setdefault(trial, {})
        found.update((row[1], row) for row in judged.scores)
        self._findings[trial] = judged.findings
        texts = [row[4] for row in judged.scores] + [row[3] for row in judged.findings]
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
            [row for found in self._scores.values() for row in found.values()],
        )
        self._drop(connection, "findings", self._findings)
        _insert(
            connection,
            "INSERT INTO findings (trial, place, mode, reason, event)",
            [row for found in self._findings.values() for row in found],
        )

    def _drop(self, connection: sqlite3.Connection, table: str, trials: Iterable[int]) -> None:
        connection.execute(
            f"DELETE FROM {table} WHERE trial IN (SELECT value FROM json_each(?))",
            (json.dumps(list(trials)),),
        )


def _insert(connection: sqlite3.Connection, statement: str, rows: Sequence[Row]) -> None:
    for places, values in in_groups(rows):
        connection.execute(f"{statement} VALUES {places}", values)


def judged(
    trial: int, scores: Sequence[Score], findings: Sequence[Finding], *, afresh: bool
) -> Judged:
    """What is thought of a trial, in rows.  Raises ValueError for a value that is no score."""
    return Judged(
        trial=trial,
        scores=tuple(_score(trial, each) for each in scores),
        findings=tuple(
            (trial, place, each.mode.value, plain_text(each.reason, _MAX_REASON), each.event)
            for place, each in enumerate(findings[:_MAX_FINDINGS])
        ),
        afresh=afresh,
    )


def _score(trial: int, score: Score) -> ScoreRow:
    if score.value is not None and not math.isfinite(score.value):
        raise ValueError(f"{score.metric}: {score.value} is no score; use None")
    reason = plain_text(score.reason, _MAX_REASON)
    return trial, score.metric, score.version, score.value, reason, _evidence(score)


def _evidence(score: Score) -> str | None:
    if not score.evidence:
        return None
    written = msgspec.json.encode(plain(score.evidence)).decode()
    return written if len(written) <= _MAX_EVIDENCE else None
