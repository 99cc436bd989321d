"""Scores and findings on their way to the disk: what was thought of trials, last word only."""

import sqlite3
from collections.abc import Iterator

import msgspec

from studio.engine.plain import plain, plain_text
from studio.engine.records import Finding, Score
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
        self._scores: dict[tuple[int, str], Score] = {}
        self._findings: dict[int, tuple[Finding, ...]] = {}

    def add(self, judged: Judged) -> int:
        """Take one judgement in; returns about how many bytes it takes."""
        trial = judged.trial
        if judged.afresh:
            self._afresh.add(trial)
            for place in [place for place in self._scores if place[0] == trial]:
                del self._scores[place]
        for score in judged.scores:
            self._scores[trial, score.metric] = score
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
        write("DELETE FROM scores WHERE trial = ?", [(trial,) for trial in self._afresh])
        write(
            """INSERT OR REPLACE INTO scores (trial, metric, version, value, reason, evidence)
               VALUES (?, ?, ?, ?, ?, ?)""",
            [_row(trial, score) for (trial, _), score in self._scores.items()],
        )
        write("DELETE FROM findings WHERE trial = ?", [(trial,) for trial in self._findings])
        write(
            "INSERT INTO findings (trial, place, mode, reason, event) VALUES (?, ?, ?, ?, ?)",
            [row for trial in self._findings for row in self._found(trial)],
        )

    def _found(self, trial: int) -> Iterator[tuple[object, ...]]:
        for place, finding in enumerate(self._findings[trial]):
            reason = plain_text(finding.reason, _MAX_REASON)
            yield trial, place, finding.mode.value, reason, finding.event


def _row(trial: int, score: Score) -> tuple[object, ...]:
    reason = plain_text(score.reason, _MAX_REASON)
    return trial, score.metric, score.version, score.value, reason, _evidence(score)


def _evidence(score: Score) -> str | None:
    if not score.evidence:
        return None
    written = msgspec.json.encode(plain(score.evidence)).decode()
    return written if len(written) <= _MAX_EVIDENCE else None
