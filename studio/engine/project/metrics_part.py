"""The criteria of `project.yaml`: its metrics, and what a trial needs to pass."""

import math
from collections.abc import Collection, Sequence
from typing import Any

from studio.engine.errors import StudioError
from studio.engine.metrics.catalogue import build
from studio.engine.metrics.own.code import FILE as METRICS_CODE
from studio.engine.metrics.own.metric import NAME as OWN
from studio.engine.project.fields import Fields, did_you_mean
from studio.engine.project.located import Map, Seq, unlocated
from studio.engine.project.scalars import shown
from studio.engine.records import MetricSpec, Threshold

DEFAULTS = tuple(
    map(
        MetricSpec,
        (
            "tool_call_accuracy", "answer_contains", "number_in_answer", "steps", "seconds",
            "tokens",
        ),
    )
)  # fmt: skip
"""What is measured where the project does not say."""


def read_metrics(fields: Fields, own: Collection[str] | None) -> tuple[MetricSpec, ...]:
    """The metrics below `metrics:`, each known to the catalogue and none twice.

    `own` are the functions that `metrics.py` offers; None where they cannot be known.
    """
    value = fields.mapping.get("metrics")
    if value is None:
        return DEFAULTS
    if not isinstance(value, Seq):
        fields.wrong("metrics", "metrics must be a list.", "Write one `- name` for each metric.")
        return DEFAULTS
    found: dict[str, MetricSpec] = {}
    for line, item in value.located():
        spec = _spec(item, line, fields)
        key = None if spec is None else _key(spec, line, fields)
        if spec is None or key is None:
            continue
        _check_own(spec, line, fields, own)
        if key in found:
            problem = f"The metric {key} stands here a second time."
            fields.mistakes.add(line, problem, "Delete one of the two.")
        found[key] = spec
    return tuple(found.values())


def _spec(item: Any, line: int, fields: Fields) -> MetricSpec | None:
    if isinstance(item, str) and item:
        return MetricSpec(item)
    if isinstance(item, Map) and len(item) == 1:
        [(name, settings)] = item.items()
        if settings is None or isinstance(settings, Map):
            return MetricSpec(name, unlocated(settings) or {})
    problem = f"{shown(item)} names no metric."
    fields.mistakes.add(line, problem, "Write `- name` or `- name: {setting: value}`.")
    return None


def _check_own(spec: MetricSpec, line: int, fields: Fields, own: Collection[str] | None) -> None:
    if spec.name != OWN:
        return
    function = spec.settings.get("function")
    if not function:
        problem = f"The metric {OWN} names no function."
        fields.mistakes.add(line, problem, f"Write `- {OWN}: {{function: name}}`.")
    elif own is not None and function not in own:
        problem = f"{METRICS_CODE} has no metric {shown(function)}."
        remedy = did_you_mean(function, own) if own else "Write def name(query, trace): in it."
        fields.mistakes.add(line, problem, remedy)


def _key(spec: MetricSpec, line: int, fields: Fields) -> str | None:
    """The key of the metric; None, with a mistake noted, where the catalogue refuses it."""
    try:
        return build([spec])[0].key
    except StudioError as error:
        fields.mistakes.add(line, error.problem, error.remedy)
        return None


def read_passed(fields: Fields, metrics: Sequence[MetricSpec]) -> tuple[Threshold, ...]:
    """What stands below `passed:`: for some of the metrics, by key, the value that passes."""
    value = fields.mapping.get("passed")
    if value is None:
        return ()
    if not isinstance(value, Map):
        fields.wrong("passed", "passed must hold metrics and values.", "Write metric: 1 below it.")
        return ()
    known = {metric.key: metric for metric in build(metrics)}
    found = []
    for key, at in value.items():
        line = value.line_of(key)
        if key not in known:
            problem = f"The project does not measure {shown(key)}."
            fields.mistakes.add(line, problem, did_you_mean(key, known))
        elif isinstance(at, bool) or not isinstance(at, int | float) or not math.isfinite(at):
            fields.mistakes.add(line, f"{shown(at)} is no number.", f"Write `{key}: 1`.")
        elif not known[key].holds(at):
            problem = f"{shown(at)} is no value of {key}: every trial would pass, or none."
            fields.mistakes.add(line, problem, f"Write {known[key].range_in_words}.")
        else:
            found.append(Threshold(key, float(at)))
    return tuple(found)
