"""What all metrics of AgentArch have in common: how a record or a trial becomes facts."""

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.agentarch.done import TRACES, of_case
from studio.engine.metrics.agentarch.done import is_single as has_no_orchestrator
from studio.engine.metrics.agentarch.facts import Facts, check_thinking, found
from studio.engine.metrics.agentarch.trial import of_trial
from studio.engine.metrics.agentarch.truth import BadTruth, corrected, of_query, stated_in
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.cases import unread
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace


class AgentArchMetric(Metric, frozen=True):
    """Base: reads a record of AgentArch and its trace, or a query and a trial, into facts.

    Not scored: without a ground truth, or without the part of it that the metric needs.
    """

    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("agentarch",)
    known_by: ClassVar[tuple[str, ...]] = ("ground_truth", "record", "usecase_config")

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        try:
            stated = of_query(query)
            if stated is None:
                return Verdict(None, "the query states no ground truth (expected: agentarch)")
            truth, more = stated
            done = of_trial(trace, truth, more)
            facts = found(
                truth,
                done,
                is_single=done.selections is None,
                is_published=self.mode == "published",
            )
        except BadTruth as error:
            return Verdict(None, str(error))
        except Exception as error:  # values of any kind are compared as the publication does it
            return self._failed(error)
        return self.of(facts)

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a record (`ground_truth`), its trace, and the use case's configuration."""
        is_published = self.mode == "published"
        record = case["record"] if isinstance(case.get("record"), Mapping) else case
        if record.get("ground_truth") is None or not any(key in case for key in TRACES):
            return Verdict(None, "the case must have a ground_truth and a trace")
        try:
            done = of_case(case, record, is_published=is_published)
            outcomes = _outcomes(case)
            truth = stated_in(record["ground_truth"], outcomes, is_whole=is_published)
            if is_published:
                check_thinking(done)
            else:
                truth = corrected(truth)
            facts = found(
                truth,
                done,
                is_single=has_no_orchestrator(case, done),
                is_published=is_published,
            )
        except BadTruth as error:
            return Verdict(None, str(error))
        except Exception as error:  # what the published grader raises ends its run, not ours
            return self._failed(error)
        return self.of(facts)

    def _failed(self, error: Exception) -> Verdict:
        return unread(error, is_published=self.mode == "published")

    def of(self, facts: Facts) -> Verdict:
        """The verdict from the facts.  Pure."""
        raise NotImplementedError


def _outcomes(case: JsonObject) -> Any:
    if "possible_final_outcomes" in case:
        return case["possible_final_outcomes"]
    held = (value for value in case.values() if isinstance(value, Mapping))
    return next((v["possible_final_outcomes"] for v in held if "possible_final_outcomes" in v), ())
