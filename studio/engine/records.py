"""What everything is: the frozen values that pass between the parts.

Words: a query is one item of the list, with what a good answer needs; a variant is one way to
run the agent; a trial is one execution of one query under one variant; a score is one metric's
verdict on one trial, or "not scored" with the reason.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from studio.engine.outcomes import FailureMode

JsonObject = Mapping[str, Any]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Base of all values here: immutable, compared by content, written as JSON by msgspec.

    No value can hold itself, so the garbage collector need not look at them: reading 100,000
    queries is seven times as fast without it.
    """


class ExpectedCall(Record, frozen=True):
    """A tool call that a good run makes."""

    name: str
    arguments: JsonObject = {}


class Instruction(Record, frozen=True):
    """A rule that an answer has to follow, as IFEval and IFBench name them.

    `id` is such as "length_constraints:number_words"; `arguments` are its keyword arguments.
    """

    id: str
    arguments: JsonObject = {}


class Expected(Record, frozen=True):
    """What a good answer to a query holds.  `None` says "nothing was stated", so nothing is graded.

    `calls`: the tool calls of a good run, in order; an empty tuple says that none is wanted.
    `contains`: texts that must all stand in the answer, whatever their case.
    `number`: the value that must be among the numbers of the answer; `unit` may narrow it.
    `answers`: the right answers, any one of which is right.
    `pattern`: a regular expression that must be found in the answer.
    `outputs`: what the agent must have told, such as "54.04" (tau-bench's outputs).
    `instructions`: rules that the answer must follow.
    `documents`: what a good retrieval finds, by id, with its gain (1 if relevance has no grades).
    `more`: what the metrics of one family alone need, by a name that one of them `reads`.
    """

    calls: tuple[ExpectedCall, ...] | None = None
    contains: tuple[str, ...] | None = None
    number: float | None = None
    unit: str | None = None
    answers: tuple[str, ...] | None = None
    pattern: str | None = None
    outputs: tuple[str, ...] | None = None
    instructions: tuple[Instruction, ...] | None = None
    documents: Mapping[str, float] | None = None
    more: JsonObject = {}


class Query(Record, frozen=True):
    """One item of the query list."""

    id: str
    text: str
    expected: Expected = Expected()
    tags: tuple[str, ...] = ()


class Prompt(Record, frozen=True):
    """A system prompt of the project: one file below `prompts/`, named by its stem."""

    name: str
    text: str

    @property
    def digest(self) -> str:
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class ToolSpec(Record, frozen=True):
    """A tool as the model sees it.  `parameters` is a JSON Schema of type object.

    `time_limit` is in seconds; a call that takes longer is a tool error in the trace.
    `is_retrieval` says that its results are documents, best first, which can be graded as such.
    """

    name: str
    description: str
    parameters: JsonObject
    time_limit: float = 20.0
    is_retrieval: bool = False


class ToolSet(Record, frozen=True):
    """The tools that a variant offers to the model, in this order."""

    name: str
    tools: tuple[ToolSpec, ...]


AUTO = "auto"
EMBEDDED = "embedded"
"""How the embedded server is named wherever a server is: its address changes with each start."""
POOL = "pool"
"""All servers that the studio knows and that have the model."""


class ModelSpec(Record, frozen=True):
    """A model and how it is asked.

    `server` is AUTO (what the user's settings say, else the Ollama server of this machine; the
    embedded server for its own model), "embedded", an address such as `http://127.0.0.1:11434`,
    POOL, or several of these but POOL: the trials of a run are spread over them.  `options` are
    Ollama's own (`num_ctx`, `temperature`, `seed`, `num_predict`, ...), sent with every request.
    `think` is whether it thinks, or how much ("low" to "max"); None leaves that to the server.
    """

    name: str
    server: str | tuple[str, ...] = AUTO
    options: JsonObject = {}
    keep_alive: str = "5m"
    think: bool | str | None = None

    @property
    def servers(self) -> tuple[str, ...]:
        """The servers that are named, one or several."""
        return (self.server,) if isinstance(self.server, str) else self.server


class Variant(Record, frozen=True):
    """One way to run the agent: everything that decides what it does, given a query."""

    name: str
    prompt: Prompt
    tool_set: ToolSet
    model: ModelSpec
    architecture: str = "react"
    step_cap: int = 24


class MetricSpec(Record, frozen=True):
    """A metric of the catalogue with its settings."""

    name: str
    settings: JsonObject = {}


class OwnMetric(Record, frozen=True):
    """A metric that a project brings: a function of its `metrics.py`.

    It is measured by `MetricSpec("own", {"function": name})`.  `digest` stands for the file as it
    is now; it is the version of the scores that the function gives.
    """

    name: str
    description: str
    digest: str


class Threshold(Record, frozen=True):
    """What a trial needs to pass: the value of the metric with this key is `at` or better."""

    metric: str
    at: float


class Criteria(Record, frozen=True):
    """By what the trials of a run are judged: opinions, which may be formed again at any time.

    An empty `passed` leaves it to the rule of `analysis.passing`.
    """

    metrics: tuple[MetricSpec, ...]
    passed: tuple[Threshold, ...] = ()


class Project(Record, frozen=True):
    """A project folder that was read and found good.  Its queries are handed over apart."""

    folder: str
    name: str
    description: str
    prompts: tuple[Prompt, ...]
    tool_sets: tuple[ToolSet, ...]
    models: tuple[ModelSpec, ...]
    metrics: tuple[MetricSpec, ...]
    default_prompt: str
    default_tool_set: str
    default_model: str
    architecture: str = "react"
    step_cap: int = 24
    graph: str | None = None
    trials: int = 1
    at_once: int = 1
    requests: int = 1
    time_limit: float = 120.0
    has_code: bool = False
    passed: tuple[Threshold, ...] = ()
    own_metrics: tuple[OwnMetric, ...] = ()

    @property
    def criteria(self) -> Criteria:
        return Criteria(self.metrics, self.passed)

    @property
    def own_digest(self) -> str:
        """What tells its `metrics.py` from another; "" without metrics of its own."""
        return next((each.digest for each in self.own_metrics), "")


class RunPlan(Record, frozen=True):
    """Everything one press of Evaluate will do: queries x trials of one variant.

    Stored with the run, so that it can be continued and repeated.  `at_once` is how many trials
    run together on each server, `requests` how many of their requests a server works on at a time
    (the others wait, outside their trials' time), `time_limit` the seconds one trial may take.
    `window` is a `num_ctx` and `server` a server (or several) that take the place of what the
    project states for the model.  `repeats` is the run that this one runs again with nothing
    changed: how far the two differ is noise.
    """

    project: str
    variant: Variant
    query_ids: tuple[str, ...]
    metrics: tuple[MetricSpec, ...]
    trials: int = 1
    at_once: int = 1
    requests: int = 1
    time_limit: float = 120.0
    graph: str | None = None
    window: int | None = None
    repeats: int | None = None
    server: str | tuple[str, ...] | None = None
    passed: tuple[Threshold, ...] = ()

    @property
    def criteria(self) -> Criteria:
        """By what its trials are scored as they end (see `RunRow.criteria` for later ones)."""
        return Criteria(self.metrics, self.passed)

    @property
    def planned(self) -> int:
        """How many trials the run holds in all."""
        return len(self.query_ids) * self.trials


class Score(Record, frozen=True):
    """One metric's verdict on one trial.

    `value` is None when the trial was not scored; `reason` then says why, and otherwise explains
    the value in words.  `metric` is the key of the metric with its settings.  `evidence` is the
    reason for programs: what a figure over many trials is computed from.
    """

    metric: str
    version: str
    value: float | None
    reason: str = ""
    evidence: JsonObject = {}


class Finding(Record, frozen=True):
    """One thing that went wrong in a trial.

    `event` is the place, among the trial's events, of what shows it; None where nothing does.
    """

    mode: FailureMode
    reason: str
    event: int | None = None


class Tally(Record, frozen=True):
    """How far a run is: counts of trials.  `invalid`: the prompt did not fit the model's window."""

    planned: int
    done: int = 0
    failed: int = 0
    skipped: int = 0
    cancelled: int = 0
    invalid: int = 0

    @property
    def left(self) -> int:
        """Those that have not ended yet."""
        ended = self.done + self.failed + self.skipped + self.cancelled + self.invalid
        return self.planned - ended
