"""What is left to do of a run that was stopped or killed."""

import sqlite3
import time
from collections.abc import Sequence

from studio.engine.events import TrialEnded
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import RunPlan
from studio.engine.store.chunks import encode, pack
from studio.engine.store.rows import COUNTING

_REASON = "The engine ended before the trial did. Continuing the run runs it again."
_FAILURE = FailureClass.HARNESS
_STANDS = f"outcome IN ({COUNTING}) AND failure IS NOT '{FailureClass.SERVER.value}'"


def end_interrupted(connection: sqlite3.Connection, changed: int) -> int:
    """End the trials that a killed engine left running; returns the new highest `changed`.

    The caller holds the writer's lock, so no trial can really be running.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        running = connection.execute("SELECT id FROM trials WHERE outcome IS NULL").fetchall()
        for (trial,) in running:
            changed += 1
            _end(connection, trial, changed)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return changed


def _end(connection: sqlite3.Connection, trial: int, changed: int) -> None:
    end = TrialEnded(time.time(), Outcome.INTERRUPTED, failure=_FAILURE, reason=_REASON)
    connection.execute(
        """INSERT INTO chunks (trial, first, count, body) VALUES (?1, coalesce(
               (SELECT first + count FROM chunks WHERE trial = ?1 ORDER BY first DESC LIMIT 1), 0
           ), 1, ?2)""",
        (trial, pack([encode(end)])),
    )
    connection.execute(
        "UPDATE trials SET outcome = ?, failure = ?, reason = ?, changed = ? WHERE id = ?",
        (end.outcome.value, _FAILURE.value, end.reason, changed, trial),
    )


def missing(connection: sqlite3.Connection, run: int, plan: RunPlan) -> list[tuple[str, int, int]]:
    """The planned trials without an outcome that stands: (query id, number, position) each.

    What failed by the server's fault says nothing of the agent, and is tried again.  In order of
    number, then position: every query once before any a second time.
    """
    there = set(
        connection.execute(
            f"""SELECT number, position FROM trials
                WHERE run = ? AND superseded = 0 AND {_STANDS}""",
            (run,),
        )
    )
    return [
        (query_id, number, position)
        for number in range(1, plan.trials + 1)
        for position, query_id in enumerate(plan.query_ids)
        if (number, position) not in there
    ]


def unscored(connection: sqlite3.Connection, run: int, metrics: Sequence[str]) -> list[int]:
    """The trials whose outcome stands and that are not judged by the run's criteria.

    They lack a score (a reason counts) of a metric, or did not change since the criteria did.
    """
    places = ", ".join("?" * len(metrics))
    return [
        trial
        for (trial,) in connection.execute(
            f"""SELECT id FROM trials
                WHERE run = ?1 AND superseded = 0 AND {_STANDS}
                AND (changed <= coalesce((SELECT changed FROM criteria WHERE run = ?1), 0)
                     OR (SELECT count(*) FROM scores
                         WHERE trial = trials.id AND metric IN ({places})) < ?)
                ORDER BY changed""",
            (run, *metrics, len(metrics)),
        )
    ]
