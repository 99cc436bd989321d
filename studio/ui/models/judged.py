"""By what a run is judged, as against the criteria that it would be judged by now; in words."""

from collections.abc import Sequence

from studio.engine.analysis.judged import ScoredBy, otherwise, told
from studio.engine.records import Criteria
from studio.engine.scoring_messages import ScoringEnded, ScoringMoved
from studio.engine.store.rows import RunRow
from studio.ui.text import count, counted


def judged_otherwise(run: RunRow, criteria: Criteria) -> str:
    """How the criteria that a run was judged by differ from these; "" if they do not."""
    return otherwise(run.criteria, criteria)


def standing(
    run: RunRow | None, criteria: Criteria | None, versions: Sequence[ScoredBy] = ()
) -> str:
    """What there is to say of how a run is judged, "" if it is judged by these criteria.

    `versions` are those of its metrics that scored it.
    """
    if run is None or criteria is None:
        return ""
    other, scored = otherwise(run.criteria, criteria), told(versions)
    if run.is_half_judged:
        first = f"Scoring run {run.id} again was broken off: some trials have their earlier scores"
    else:
        first = f"Run {run.id} is judged by other criteria: {other}" if other else ""
    return " · ".join(filter(None, (first, scored and f"Run {run.id}: {scored}")))


def going_told(moved: ScoringMoved, others: int) -> str:
    """How far scoring a run again is, and how many others wait for it."""
    trials = f"{count(moved.done)} of {counted(moved.planned, 'trial')}"
    more = f" · {counted(others, 'more run')}" if others else ""
    return f"Scoring run {moved.run} again · {trials}{more}"


def ended_told(scored: Sequence[ScoringEnded]) -> str:
    """How scoring again ended, in one line."""
    failed = [each for each in scored if each.ending == "failed"]
    if failed:
        last = failed[-1]
        return f"Run {last.run} was not scored again: {last.problem} {last.remedy}".rstrip()
    if not scored:
        return ""
    runs = f"Run {scored[0].run}" if len(scored) == 1 else counted(len(scored), "run")
    done, planned = sum(each.done for each in scored), sum(each.planned for each in scored)
    was = "" if all(each.ending == "finished" for each in scored) else ", then stopped"
    return f"{runs}: {count(done)} of {counted(planned, 'trial')} scored again{was}"
