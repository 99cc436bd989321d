"""The failure map: every failed trial in one bucket, the most frequent bucket first."""

from msgspec.structs import replace

from studio.engine.analysis.pareto import FailureMap, failure_map
from studio.engine.outcomes import FailureMode
from studio.engine.records import Finding
from tests.engine.analysis.made_trials import RULES, run

INVENTED = Finding(FailureMode.INVENTED_VALUE, "city is 'Rome'", 4)
MISSING = Finding(FailureMode.MISSING_CALL, "no rate was asked for", 9)
CAP = Finding(FailureMode.STEP_CAP, "the step cap was reached", 20)


def found(signs, *findings):
    rows = run(*signs)
    return [replace(row, findings=each) for row, each in zip(rows, findings, strict=True)]


def test_buckets_are_in_pareto_order_with_shares_that_add_up():
    rows = found("----+", (MISSING,), (INVENTED, MISSING), (MISSING, CAP), (), ())
    got = failure_map(rows, RULES)
    assert [(b.mode, b.count, b.share, b.cumulative, b.also) for b in got.buckets] == [
        (FailureMode.MISSING_CALL, 2, 0.5, 0.5, 1),
        (FailureMode.INVENTED_VALUE, 1, 0.25, 0.75, 0),
    ]
    assert [place.query_id for place in got.buckets[0].places] == ["q0", "q2"]
    assert [place.trial for place in got.unexplained] == [4]
    assert got.failed == 4


def test_what_was_not_the_agents_doing_is_in_no_share():
    apart = Finding(FailureMode.NOT_THE_AGENT, "the server did not answer", 3)
    got = failure_map(found("xx-", (apart,), (), (MISSING,)), RULES)
    assert [place.query_id for place in got.apart] == ["q0", "q1"]
    assert (got.failed, got.buckets[0].share) == (1, 1.0)


def test_a_run_without_failures_has_an_empty_map():
    assert failure_map(run("++", "?."), RULES) == FailureMap()


def test_equally_frequent_buckets_stand_in_the_order_of_the_decisions():
    got = failure_map(found("--", (CAP,), (INVENTED,)), RULES)
    assert [b.mode for b in got.buckets] == [FailureMode.INVENTED_VALUE, FailureMode.STEP_CAP]
