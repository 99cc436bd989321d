"""Makes the trial rows of a run from what became of each trial."""

from collections.abc import Sequence

from studio.engine.analysis.passing import Rule
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import Score
from studio.engine.store.rows import TrialRow

RULES = (Rule("right", 1.0),)
PASS, FAIL, UNDECIDED, EXCUSED, RUNNING = "+", "-", "?", "x", "."


def run(*queries: str, first_id: int = 1, number: int = 1) -> list[TrialRow]:
    """One text a query, one sign a trial: `run("++-", "x?")`."""
    made: list[TrialRow] = []
    for position, signs in enumerate(queries):
        for trial, sign in enumerate(signs, number):
            made.append(row(sign, position, trial, first_id + len(made)))
    return made


def row(sign: str, position: int = 0, number: int = 1, id: int = 1) -> TrialRow:
    scores: Sequence[Score] = ()
    if sign in (PASS, FAIL):
        scores = (Score("right", "1", float(sign == PASS)),)
    elif sign == UNDECIDED:
        scores = (Score("right", "1", None, "the query states nothing"),)
    return TrialRow(
        id, 1, f"q{position}", f"Question {position}?", number, position, id, 0.0,
        outcome=_OUTCOMES.get(sign, Outcome.FINISHED),
        failure=FailureClass.SERVER if sign == EXCUSED else None,
        scores=tuple(scores),
    )  # fmt: skip


_OUTCOMES = {EXCUSED: Outcome.FAILED, RUNNING: None}
