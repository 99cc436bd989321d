"""`project.yaml`: what the project is called, which model it asks, how it runs.

Everything has a default; an empty file will do::

    name: Metal prices
    description: A first agent with two tools.
    model: {name: "smollm2:135m", server: auto, options: {temperature: 0}}
                                # server: pool, or [http://a:11434, http://b:11434]: spread
    prompt: refined             # used unless another is chosen: prompts/refined.md
    tools: prices + exchange    # the tool set, likewise
    agent: {architecture: react, step_cap: 24}      # or graph: my_agent.py:build
    run: {trials: 1, at_once: 1, requests: 1, time_limit: 120}
    metrics: [tool_call_accuracy, {tokens: {count: prompt}}, {own: {function: polite}}]
    passed: {tool_call_accuracy: 0.5}               # what a trial needs to pass
"""

import ast
from collections.abc import Mapping
from pathlib import Path

from studio.engine.project import text_files
from studio.engine.project.fields import Fields, did_you_mean
from studio.engine.project.located import Map, Mistakes
from studio.engine.project.metrics_part import read_metrics, read_passed
from studio.engine.project.model_options import OPTIONS
from studio.engine.project.models_part import read_models
from studio.engine.project.own_metrics import FILE as METRICS_CODE
from studio.engine.project.own_metrics import read_own_metrics
from studio.engine.project.scalars import shown
from studio.engine.project.yaml_reader import read_yaml
from studio.engine.records import MetricSpec, ModelSpec, OwnMetric, Record, Threshold

FILE = "project.yaml"
ARCHITECTURES = ("react",)

KEYS = (
    "name", "description", "model", "models", "prompt", "tools", "agent", "run", "metrics",
    "passed",
)  # fmt: skip
AGENT_KEYS = ("architecture", "step_cap", "graph")
RUN_KEYS = ("trials", "at_once", "requests", "time_limit")
_HINTS = {
    **dict.fromkeys((*OPTIONS, "stop"), "Write it below model: options:, indented."),
    **dict.fromkeys(AGENT_KEYS, "Write it below agent:, indented."),
    **dict.fromkeys(RUN_KEYS, "Write it below run:, indented."),
    **dict.fromkeys(("server", "options", "keep_alive", "think"), "Write it below model:."),
    **dict.fromkeys(("system_prompt", "prompts"), "Did you mean prompt?"),
    **dict.fromkeys(("tool_set", "tool_sets", "toolset"), "Did you mean tools?"),
    "queries": "Queries stand in a file of their own: queries.yaml, queries.jsonl or queries.csv.",
}
_CODE_LIMIT = 5 * text_files.MEGABYTE


class ProjectFile(Record, frozen=True):
    """What `project.yaml` says.  An empty `prompt` or `tool_set` leaves the choice to us.

    `lines` are those of the keys, for what can only be checked beside the other files.
    """

    name: str
    description: str
    models: tuple[ModelSpec, ...]
    model: str
    prompt: str
    tool_set: str
    architecture: str
    step_cap: int
    graph: str | None
    trials: int
    at_once: int
    requests: int
    time_limit: float
    metrics: tuple[MetricSpec, ...]
    passed: tuple[Threshold, ...]
    own_metrics: tuple[OwnMetric, ...]
    lines: Mapping[str, int]


def read_project_file(folder: Path, mistakes: Mistakes) -> ProjectFile:
    """The file's content, its mistakes noted; a part that is wrong has its default."""
    text = text_files.read(folder, FILE, mistakes, limit=text_files.MEGABYTE)
    return project_file_of(text or "", folder, mistakes)


def project_file_of(text: str, folder: Path, mistakes: Mistakes) -> ProjectFile:
    """The same of a text that is, or may become, the content of `project.yaml`."""
    mapping = _top(text, mistakes)
    fields = Fields(mapping, "", mistakes)
    fields.only(KEYS, _HINTS)
    models, model = read_models(fields)
    agent = fields.inner("agent", "agent: {step_cap: 24}")
    agent.only(AGENT_KEYS)
    run = fields.inner("run", "run: {trials: 3}")
    run.only(
        RUN_KEYS, {"timeout": "Did you mean time_limit?", "concurrency": "Did you mean at_once?"}
    )
    unread = Mistakes(METRICS_CODE)
    own = read_own_metrics(folder, unread)
    # With mistakes in metrics.py, every mention of its metrics could look like one of its own.
    metrics = read_metrics(fields, None if unread.count else [metric.name for metric in own])
    return ProjectFile(
        name=fields.text("name", folder.name),
        description=fields.text("description"),
        models=models,
        model=model,
        prompt=fields.text("prompt"),
        tool_set=fields.text("tools"),
        architecture=_architecture(agent),
        step_cap=agent.whole("step_cap", 24, 1, 1000),
        graph=_graph(folder, agent),
        trials=run.whole("trials", 1, 1, 1000),
        at_once=run.whole("at_once", 1, 1, 64),
        requests=run.whole("requests", 1, 1, 64),
        time_limit=run.seconds("time_limit", 120.0, 86_400),
        metrics=metrics,
        passed=read_passed(fields, metrics),
        own_metrics=own,
        lines=dict(mapping.lines),
    )


def _top(text: str, mistakes: Mistakes) -> Map:
    value = read_yaml(text, mistakes)
    if isinstance(value, Map):
        return value
    if value is not None:
        mistakes.add(1, "The file must hold keys and values.", "Begin with `name: ...`.")
    return Map(0)


def _architecture(agent: Fields) -> str:
    name = agent.text("architecture", ARCHITECTURES[0])
    if name not in ARCHITECTURES:
        problem = f"There is no architecture {shown(name)}."
        agent.wrong("architecture", problem, did_you_mean(name, ARCHITECTURES))
    return name


def _graph(folder: Path, agent: Fields) -> str | None:
    """The user's own graph, `file.py:function`; the function must be there, nothing is run."""
    graph = agent.text("graph")
    if not graph:
        return None
    file, _, function = graph.partition(":")
    if not file.endswith(".py") or not function.isidentifier():
        agent.wrong("graph", f"{shown(graph)} names no function.", "Write my_agent.py:build")
        return None
    aside = Mistakes(file)
    source = text_files.read(folder, file, aside, limit=_CODE_LIMIT)
    defined = None if source is None else _functions(source, aside)
    for problem in aside.problems:
        agent.wrong("graph", f"{file}: {problem.problem}", problem.remedy)
    if defined is not None and function not in defined:
        problem_text = f"{file} defines no function {function}."
        agent.wrong("graph", problem_text, did_you_mean(function, defined))
    return graph


def _functions(source: str, mistakes: Mistakes) -> list[str] | None:
    """The names that the file defines at its top level (functions, and what is assigned)."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        mistakes.add(0, f"This is no valid Python: {error}.")
        return None
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.ImportFrom):
            names += [alias.asname or alias.name for alias in node.names]
    return names
