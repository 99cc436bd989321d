"""What the window knows at one moment: one frozen value, which only the session replaces."""

from collections.abc import Mapping

import msgspec

from studio.engine.analysis.judged import ScoredBy
from studio.engine.errors import Problem
from studio.engine.messages import Preparing
from studio.engine.records import Project, Query, RunPlan, Tally, Variant
from studio.engine.scoring_messages import ScoringMoved
from studio.engine.server_facts import ServerFacts
from studio.engine.store.rows import RunRow


class Picks(msgspec.Struct, frozen=True):
    """What the next run uses: names of a prompt, a tool set and a model, and trials per query."""

    prompt: str
    tool_set: str
    model: str
    trials: int = 1


class Refused(msgspec.Struct, frozen=True):
    """A folder that could not be opened, with everything that is wrong in it."""

    folder: str
    problems: tuple[Problem, ...]


class State(msgspec.Struct, frozen=True):
    """Everything that decides what the window offers.

    `engine` is "starting", "ready", "ended" (on its own) or "closing".  `run` is the run that is
    shown, `trial` the place (position, number) of the trial of it that is looked at, `live` the id
    of the run that is going, `unfinished` one that the engine's death cut off.  `at_once` trials
    run together on each of `spread` servers.  `tally`, `running` and `seconds_left` belong to the
    live run, or to the last one.  `scoring` says how far scoring a stored run again is, `versions`
    which versions of its metrics scored the shown run, where these are not the present ones.
    """

    page: str = "evaluate"
    engine: str = "starting"
    opening: str = ""
    project: Project | None = None
    query_count: int = 0
    queries_read: int = 0
    store: str = ""
    read_only: str = ""
    is_trusted: bool = False
    refused: Refused | None = None
    picks: Picks | None = None
    run: RunRow | None = None
    versions: tuple[ScoredBy, ...] = ()
    trial: tuple[int, int] | None = None
    live: int | None = None
    is_starting: bool = False
    is_stopping: bool = False
    is_paused: bool = False
    at_once: int = 1
    spread: int = 1
    unfinished: int | None = None
    tally: Tally | None = None
    running: tuple[str, ...] = ()
    seconds_left: tuple[float, float] | None = None
    servers: tuple[ServerFacts, ...] = ()
    preparing: Preparing | None = None
    scoring: ScoringMoved | None = None

    @property
    def is_busy(self) -> bool:
        """A run was asked for, is going, or is being stopped."""
        return self.live is not None or self.is_starting

    @property
    def can_run(self) -> bool:
        """A press of Evaluate would start something."""
        return (
            self.engine == "ready"
            and self.project is not None
            and self.picks is not None
            and self.queries_read > 0
            and self.queries_read == self.query_count
            and not self.read_only
            and not self.is_busy
        )

    def ending_of(self, run: RunRow) -> str:
        """How a run ended, in a word; of one without an end only who may write to it can tell."""
        if run.id == self.live:
            return "running"
        return run.ending or ("not ended" if self.read_only else "interrupted")


def first_picks(project: Project, kept: Mapping[str, object]) -> Picks:
    """The picks last used in this project where they still exist, else the project's own."""
    prompts = {prompt.name for prompt in project.prompts}
    tool_sets = {tool_set.name for tool_set in project.tool_sets}
    models = {model.name for model in project.models}
    trials = kept.get("trials")
    return Picks(
        prompt=_still(kept.get("prompt"), prompts, project.default_prompt),
        tool_set=_still(kept.get("tool_set"), tool_sets, project.default_tool_set),
        model=_still(kept.get("model"), models, project.default_model),
        trials=trials if isinstance(trials, int) and 1 <= trials <= 100 else project.trials,
    )


def _still(kept: object, known: set[str], default: str) -> str:
    return kept if isinstance(kept, str) and kept in known else default


def plan(project: Project, picks: Picks, queries: tuple[Query, ...]) -> RunPlan:
    """What Evaluate does with these picks.  Raises StopIteration for a name that is not there.

    Made here: `engine.project` loads the readers of every file format, too heavy for the window.
    """
    variant = Variant(
        name=f"{picks.prompt} · {picks.tool_set} · {picks.model}",
        prompt=next(prompt for prompt in project.prompts if prompt.name == picks.prompt),
        tool_set=next(each for each in project.tool_sets if each.name == picks.tool_set),
        model=next(model for model in project.models if model.name == picks.model),
        architecture=project.architecture,
        step_cap=project.step_cap,
    )
    return RunPlan(
        project=project.name,
        variant=variant,
        query_ids=tuple(query.id for query in queries),
        metrics=project.metrics,
        passed=project.passed,
        trials=picks.trials,
        at_once=project.at_once,
        requests=project.requests,
        time_limit=project.time_limit,
        graph=project.graph,
    )


def screen(state: State) -> str:
    """Which screen shows this state: a page, "welcome" without a project, "problems" if refused."""
    if state.page == "models":
        return "models"
    if state.refused is not None:
        return "problems"
    return "welcome" if state.project is None else state.page
