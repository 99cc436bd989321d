"""What the store says about runs and trials: small frozen rows, fit for tables and charts."""

from typing import Annotated, Literal, assert_never

import msgspec

from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import Criteria, Finding, Record, RunPlan, Score, Tally
from studio.engine.server_facts import ServerFacts


class RunRow(Record, frozen=True):
    """One run.  `ending` is None while it runs (or was killed: then it can be continued).

    `servers` are all that were asked for the model, those that took part first.  `rejudged` are the
    criteria that its trials were scored again by, None if they never were; `is_half_judged` says
    that this was broken off, so that some still have their earlier scores.  `lost` are how many of
    those that failed did so by their server's fault.
    """

    id: int
    created: float
    plan: RunPlan
    servers: Annotated[tuple[ServerFacts, ...], msgspec.Meta(min_length=1)]
    tally: Tally
    ended: float | None = None
    ending: str | None = None
    rejudged: Criteria | None = None
    is_half_judged: bool = False
    lost: int = 0

    @property
    def missing(self) -> int:
        """What continuing the run runs: trials without an outcome that stands, and the lost ones.

        A run can be continued while there are any; `resume.missing` tells which they are.
        """
        tally = self.tally
        return tally.left + tally.skipped + tally.cancelled + self.lost

    @property
    def criteria(self) -> Criteria:
        """By what its trials were scored last."""
        return self.plan.criteria if self.rejudged is None else self.rejudged

    @property
    def server(self) -> ServerFacts:
        """The first that took part: its model is that of all of them."""
        return self.servers[0]

    @property
    def shared(self) -> tuple[ServerFacts, ...]:
        """The servers that took part."""
        return tuple(each for each in self.servers if each.took_part)


class TrialRow(Record, frozen=True):
    """One trial of a run, with its scores.  `outcome` is None while it runs.

    `changed` grows with every commit that touched the trial: ask for rows above the highest seen
    to follow a run while it goes on, or to read a past one from the start.  `position` is the
    place of the query in the plan, `server` the one that answered, as it is listed ("": not known).
    Counts are None while unknown.

    A trial that was started again by continuing the run is left out: the later row with the same
    `position` and `number` takes its place.  Long texts are cut, with a note; the events hold them
    whole.
    """

    id: int
    run: int
    query_id: str
    query: str
    number: int
    position: int
    changed: int
    started: float
    outcome: Outcome | None = None
    failure: FailureClass | None = None
    answer: str | None = None
    reason: str = ""
    seconds: float | None = None
    steps: int | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    marks: tuple[str, ...] = ()
    server: str = ""
    scores: tuple[Score, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def is_excused(self) -> bool:
        """It ended without an answer by no doing of the agent: no metric scores it."""
        return self.failure is not None and not self.failure.is_agents_own


Count = Literal["done", "failed", "skipped", "cancelled", "invalid"]


def tallied(outcome: Outcome) -> Count | None:
    """Under which count of a Tally a trial with this outcome falls; None: it is still to be run.

    A trial at the step cap is done: that it came to no answer is the agent's own doing, and scored.
    """
    match outcome:
        case Outcome.FINISHED | Outcome.STEP_CAP:
            return "done"
        case Outcome.TIMED_OUT | Outcome.FAILED:
            return "failed"
        case Outcome.TRUNCATED:
            return "invalid"
        case Outcome.SKIPPED:
            return "skipped"
        case Outcome.CANCELLED:
            return "cancelled"
        case Outcome.INTERRUPTED:
            return None
        case _:
            assert_never(outcome)


COUNTS: tuple[Outcome, ...] = tuple(
    outcome for outcome in Outcome if tallied(outcome) in ("done", "failed", "invalid")
)
"""The outcomes that stand: continuing a run does not run these trials again (but see `resume`)."""

COUNTING = ", ".join(f"'{outcome.value}'" for outcome in COUNTS)
"""The same as SQL."""

AGENTS_OWN = ", ".join(f"'{failure.value}'" for failure in FailureClass if failure.is_agents_own)
"""The failures that no trial is excused for (see `TrialRow.is_excused`), as SQL."""
