"""The metrics of a project while they are being chosen: right or wrong, nothing typed is lost."""

import math
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from studio.engine.analysis.judged import cut, few
from studio.engine.analysis.passing import Rule, rules
from studio.engine.errors import StudioError
from studio.engine.metrics import CATALOGUE, Metric, build, check_settings
from studio.engine.records import Criteria, JsonObject, MetricSpec, Threshold
from studio.ui.models.metric_settings import wrong_settings
from studio.ui.text import decimal

PASSES = "passes"
"""Where a mistake in what passes is shown, beside the names of settings."""


class Chosen(msgspec.Struct, frozen=True):
    """One metric of the list, as it stands in the form.

    `settings` may hold what the catalogue refuses, `passes` is the text of the threshold.
    """

    name: str
    settings: JsonObject = {}
    passes: str = ""

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(self.name, self.settings)

    @property
    def metric(self) -> Metric | None:
        """The metric itself; None where the catalogue refuses it."""
        return _built(msgspec.json.encode(self.spec))

    @property
    def label(self) -> str:
        if (metric := self.metric) is not None:
            return metric.label
        known = CATALOGUE.get(self.name)
        return self.name if known is None else known.title


@lru_cache(1_000)
def _built(spec: bytes) -> Metric | None:
    """The metric of a spec in JSON: asked for many times with every key that is pressed."""
    try:
        return build((msgspec.json.decode(spec, type=MetricSpec),))[0]
    except StudioError:
        return None


Choice = tuple[Chosen, ...]


def chosen(criteria: Criteria) -> Choice:
    """What a project's criteria are in the form."""
    at = {each.metric: decimal(each.at) for each in criteria.passed}
    made = (Chosen(spec.name, spec.settings) for spec in criteria.metrics)
    return tuple(replace(each, passes=at.get(key(each), "")) for each in made)


def key(of: Chosen) -> str:
    """The key of the metric; its bare name where it cannot be built."""
    metric = of.metric
    return of.name if metric is None else metric.key


Mistakes = dict[str, str]
"""What is wrong with a metric, by setting; "" for the metric as a whole."""


def mistakes(choice: Choice) -> tuple[Mistakes, ...]:
    """What is wrong with each metric of the list."""
    found, seen = [], set[str]()
    for of in choice:
        name = key(of)
        found.append(_wrong(of, is_twice=name in seen))
        seen.add(name)
    return tuple(found)


def wrong(of: Chosen) -> Mistakes:
    """What is wrong with a metric by itself."""
    return _wrong(of, is_twice=False)


def _wrong(of: Chosen, *, is_twice: bool) -> Mistakes:
    found = {} if of.metric is not None else wrong_settings(of.spec)
    if of.metric is None and not found:
        found[""] = check_settings(of.spec) or ""
    elif is_twice and not found:
        found[""] = "This metric stands in the list twice, with the same settings."
    if of.passes.strip() and _number(of.passes) is None:
        found[PASSES] = "Write a plain number, such as 0.5."
    return found


def criteria(choice: Choice) -> Criteria | None:
    """The criteria that were chosen; None while something is wrong with them."""
    if any(mistakes(choice)):
        return None
    return Criteria(tuple(each.spec for each in choice), _thresholds(choice))


def moved(choice: Choice, place: int, to: int) -> Choice:
    """The list with the metric at `place` moved to another."""
    rest = [*choice[:place], *choice[place + 1 :]]
    rest.insert(to, choice[place])
    return tuple(rest)


def passing(choice: Choice) -> tuple[Rule, ...]:
    """The rules that a trial has to hold, as far as the list is right."""
    metrics = [metric for each in choice if (metric := each.metric) is not None]
    return rules(metrics, _thresholds(choice))


def passing_told(choice: Choice) -> str:
    """What passes, in one sentence."""
    held = passing(choice)
    if not held:
        return "No trial passes or fails: no metric of the list tells success by itself."
    labels = {key(each): each.label for each in choice}
    told = [
        f"{cut(labels.get(rule.metric, rule.metric))} is {decimal(rule.at)}"
        f"{'' if _is_end(choice, rule) else ' or less' if rule.is_most else ' or more'}"
        for rule in held
    ]
    if any(each.passes.strip() for each in choice):
        return f"A trial passes if {few(told, ' and ')}."
    return f"No threshold is stated, so a trial passes if {few(told, ' and ')}."


def _is_end(choice: Choice, rule: Rule) -> bool:
    """Nothing lies beyond it: "or more" would say nothing."""
    for each in choice:
        metric = each.metric
        if metric is not None and metric.key == rule.metric:
            return rule.at == (metric.lowest if rule.is_most else metric.highest)
    return False


def _thresholds(choice: Choice) -> tuple[Threshold, ...]:
    found = ((key(each), _number(each.passes)) for each in choice)
    return tuple(Threshold(name, at) for name, at in found if at is not None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None
