"""AgentArch's metrics: its own shape, its laws, and where published and corrected differ."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics import build
from studio.engine.metrics.agentarch import AGENT_ARCH
from studio.engine.records import MetricSpec
from tests.engine.metrics.agentarch.library import (
    CONFIG,
    GOOD_CALLS,
    GRANTED,
    case,
    orchestrated,
)
from tests.engine.metrics.made_traces import calls, query, trace

NAMES = [metric.name for metric in AGENT_ARCH]
BOTH = pytest.mark.parametrize("mode", ["published", "corrected"])


def value(name: str, of: dict[str, Any], mode: str = "corrected", **settings: Any) -> float | None:
    [metric] = build([MetricSpec(name, {"mode": mode, **settings})])
    return grade(metric, of).value


def without(truth: dict[str, Any], *parts: str) -> dict[str, Any]:
    return {key: part for key, part in truth.items() if key not in parts}


@BOTH
def test_a_run_as_the_record_wants_it_is_acceptable_in_every_respect(mode):
    truth = {**GRANTED, "tool_args": {"find_reader": {"name": "ada byron"}}}
    of = case(truth=truth)
    wanted = {"hallucination": 0, "repetition": 0, "missing_tools": 0, "extraneous_tools": 0}
    for name in NAMES:
        expected = wanted.get(name.removeprefix("agentarch_"), 1)
        assert value(name, of, mode) == (None if name == "agentarch_orchestrator" else expected)
    assert value("agentarch_tools", of, mode, choice="strict") == 1
    assert value("agentarch_acceptable", of, mode, choice="strict") == 1


@BOTH
@pytest.mark.parametrize(
    ("made", "lenient", "strict", "missing", "extraneous"),
    [
        ([1, 0, 2], 1, 1, 0, 0),
        ([0, 2, 1], 1, 0, 0, 0),
        ([0, 1, 2, 1], 1, 0, 0, 0),
        ([0, 2], 0, 0, 1, 0),
        ([], 0, 0, 1, 0),
    ],
)
def test_lenient_asks_for_the_tools_and_strict_for_the_order_too(
    mode, made, lenient, strict, missing, extraneous
):
    of = case([GOOD_CALLS[place] for place in made])
    assert value("agentarch_tools", of, mode) == lenient
    assert value("agentarch_tools", of, mode, choice="strict") == strict
    assert value("agentarch_missing_tools", of, mode) == missing
    assert value("agentarch_extraneous_tools", of, mode) == extraneous


@BOTH
def test_a_tool_beyond_the_expected_may_read_but_not_change(mode):
    truth = {
        **GRANTED,
        "tool_order": [["find_reader", "open_loan"]],
        "tool_args": without(GRANTED["tool_args"], "find_book"),
    }
    reading, writing = [*GOOD_CALLS], [*GOOD_CALLS, ("remind", {"loan_id": "L1"})]
    assert value("agentarch_tools", case(reading, truth=truth), mode) == 1
    assert value("agentarch_tools", case(writing, truth=truth), mode) == 0
    assert value("agentarch_extraneous_tools", case(reading, truth=truth), mode) == 1


def test_a_decision_within_a_longer_one_is_not_that_decision():
    of = case(message="I am sorry: NO loan  granted.")
    assert value("agentarch_decision", of, "published") == 0
    of = case(message="I am sorry: no loan granted.")
    assert value("agentarch_decision", of, "published") == 1
    assert value("agentarch_decision", of) == 0
    for message in ("Loan granted", "the loan granted, at last: LOAN\nGRANTED!"):
        assert value("agentarch_decision", case(message=message)) == 1
    assert value("agentarch_decision", case(message="Loan grantedness")) == 0


def test_a_truth_value_of_type_boolean_is_right_as_it_is():
    # Neither true nor 14 is a text, and a type that is not named "bool" or "int" is one.
    assert value("agentarch_arguments", case(), "published") == pytest.approx(3 / 5)
    assert value("agentarch_arguments", case()) == 1


@pytest.mark.parametrize("wrong", ["true", "True", 1, 0, None, False])
def test_what_is_no_truth_value_is_none(wrong):
    of = case([GOOD_CALLS[0], ("find_book", {"title": "Emma", "is_large_print": wrong})])
    assert value("agentarch_arguments", of) == pytest.approx(2 / 5)


def test_agents_in_a_flat_list_are_one_way_to_choose_them():
    flat = {**GRANTED, "orchestrator": {"agent_selections": ["desk_agent", "loan_agent"]}}
    right = orchestrated(["desk_agent", "loan_agent"], "Loan granted", flat)
    assert value("agentarch_orchestrator", right, "published") == 0
    assert value("agentarch_orchestrator", right) == 1
    wrong = orchestrated(["loan_agent", "desk_agent"], "Loan granted", flat)
    assert value("agentarch_orchestrator", wrong) == 0


def test_what_a_refused_tool_would_have_told_is_not_asked_for():
    truth = {
        **GRANTED,
        "tool_order": [["open_loan", "remind"]],
        "tool_args": {"open_loan": {"reader_id": "R7"}, "remind": {"loan_id": "L31"}},
    }
    made = [("open_loan", {"reader_id": "R7"}), ("remind", {"loan_id": "unknown"})]
    refused = case(made, truth=truth, results={"open_loan": "open_loan is not a valid tool"})
    assert value("agentarch_arguments", refused, "published") == 1 / 2
    assert value("agentarch_arguments", refused) == 1
    # Where the tool did answer, the value could be known.
    assert value("agentarch_arguments", case(made, truth=truth)) == 1 / 2
    told = case(made, truth=truth, results={"open_loan": "not L31, which is not a valid tool"})
    assert value("agentarch_arguments", told) == 1 / 2


def test_a_required_call_that_was_not_made_has_all_its_arguments_wrong():
    of = case(GOOD_CALLS[:1])
    assert value("agentarch_arguments", of, "published") == 1
    assert value("agentarch_arguments", of) == 1 / 5


@BOTH
def test_arguments_are_compared_without_case_and_blanks_and_lists_without_order(mode):
    truth = {
        **GRANTED,
        "tool_order": [["remind"]],
        "tool_args": {"remind": {"topics": ["Due  date", "fee"], "loan_id": "L1"}},
    }
    of = case([("remind", {"topics": ["FEE", "due date"], "loan_id": " l1"})], truth=truth)
    assert value("agentarch_arguments", of, mode) == 1


def test_a_tool_that_does_not_exist_spoils_the_choice_of_tools_only_when_corrected():
    of = case([*GOOD_CALLS, ("guess", {})])
    assert value("agentarch_hallucination", of, "published") == 1
    assert value("agentarch_hallucination", of) == 1
    assert value("agentarch_tools", of, "published") == 1
    assert value("agentarch_tools", of) == 0


@BOTH
def test_an_agent_that_does_not_exist_is_a_hallucination(mode):
    of = orchestrated(["desk_agent", "ghost_agent"], "Loan granted")
    assert value("agentarch_hallucination", of, mode) == 1
    assert value("agentarch_decision", of, mode) == 1
    # What an orchestrator ends with must be a text; a choice of agents is no message.
    of = orchestrated(["desk_agent"], [{"agent": "desk_agent"}])
    assert value("agentarch_decision", of, mode) == 0


@BOTH
def test_the_same_call_twice_in_a_row_is_a_repetition(mode):
    again = case([GOOD_CALLS[0], GOOD_CALLS[0], *GOOD_CALLS[1:]])
    apart = case([GOOD_CALLS[0], GOOD_CALLS[1], GOOD_CALLS[0], GOOD_CALLS[2]])
    assert value("agentarch_repetition", again, mode) == 1
    assert value("agentarch_repetition", apart, mode) == 0
    assert value("agentarch_optimal_path", again, mode) == 0


@BOTH
def test_without_the_tools_of_the_use_case_only_what_needs_them_is_not_scored(mode):
    bare = {key: part for key, part in case().items() if key != "usecase_config"}
    needs = {"agentarch_hallucination", "agentarch_orchestrator"}
    if mode == "published":
        needs |= {"agentarch_arguments", "agentarch_acceptable"}
    assert {name for name in NAMES if value(name, bare, mode) is None} == needs
    extra = {**bare, "trace": case([*GOOD_CALLS, ("search", {})])["trace"]}
    # Nobody says that searching changes nothing.
    assert value("agentarch_tools", extra, mode) == (None if mode == "published" else 0)


def test_the_tools_may_stand_in_the_case_by_name_or_in_a_list():
    tools = [tool for agent in CONFIG["agents"].values() for tool in agent["tools"] or ()]
    by_name = {tool["tool_name"]: tool for tool in tools}
    for stated in (tools, by_name):
        of = {**case(), "tools": stated}
        del of["usecase_config"]
        assert value("agentarch_acceptable", of) == 1
        assert value("agentarch_arguments", of, "published") == pytest.approx(3 / 5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "broken",
    [
        {"trace": 5}, {"trace": [5]}, {"trace": [{"agent": "a", "content": {"tool_call_id": [1]}}]},
        {"ground_truth": {}}, {"ground_truth": {"tool_order": 5}}, {"ground_truth": []},
        {"usecase_config": {"agents": {"a": {"tools": [{}]}}}}, {"usecase_config": {"agents": 1}},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_record_is_not_scored_with_the_reason(name, broken):
    base = {**case(), "ground_truth": GRANTED}
    del base["record"]
    [metric] = build([MetricSpec(name, {"mode": "published"})])
    verdict = grade(metric, {**base, **broken})
    assert verdict.value is None
    assert verdict.reason
    [metric] = build([MetricSpec(name)])
    assert grade(metric, {**base, **broken}).reason


def test_a_trial_of_a_project_is_held_against_what_its_query_states():
    wanted = query(more={"agentarch": GRANTED})
    done = trace("Loan granted.", made=GOOD_CALLS)
    values = {name: build([MetricSpec(name)])[0].score(wanted, done).value for name in NAMES}
    assert values == {
        "agentarch_acceptable": 1, "agentarch_tools": 1, "agentarch_arguments": 1,
        "agentarch_decision": 1, "agentarch_repetition": 0, "agentarch_missing_tools": 0,
        "agentarch_extraneous_tools": 0, "agentarch_optimal_path": 1,
        # No tool was offered in this trace, and no agent chose others.
        "agentarch_hallucination": None, "agentarch_orchestrator": 0,
    }  # fmt: skip


def test_expected_calls_are_an_accepted_list_of_tools():
    wanted = query(calls=calls(*GOOD_CALLS[:2]), more={"agentarch": {"final_response": "Yes"}})
    done = trace("Yes, it is there.", made=GOOD_CALLS[:2])
    [acceptable] = build([MetricSpec("agentarch_acceptable", {"choice": "strict"})])
    assert acceptable.score(wanted, done).value == 1
    [acceptable] = build([MetricSpec("agentarch_acceptable")])
    other = trace("Yes, it is there.", made=GOOD_CALLS)
    # Nobody said that it only reads.
    assert acceptable.score(wanted, other).value == 0
    more = {"agentarch": {"final_response": "Yes", "read_only": ["open_loan"]}}
    assert acceptable.score(query(calls=calls(*GOOD_CALLS[:2]), more=more), other).value == 0


@pytest.mark.parametrize(
    "stated",
    [[], 5, {"tools": []}, {"tool_order": "a"}, {"tool_order": [[1]]}, {"tool_args": {"a": 1}},
     {"final_response": 5}, {"read_only": "a", "tool_order": [["a"]]}],
    ids=str,
)  # fmt: skip
def test_a_statement_that_cannot_be_read_is_named(stated):
    for name in NAMES:
        score = build([MetricSpec(name)])[0].score(query(more={"agentarch": stated}), trace())
        assert score.value is None
        assert score.reason


names = st.sampled_from(["find_reader", "find_book", "open_loan", "remind", "guess", "math"])
arguments = st.dictionaries(
    st.sampled_from(["name", "title", "is_large_print", "reader_id", "days", "loan_id"]),
    st.sampled_from(["ada byron", "Emma", True, False, "true", "R7", 14, 14.0, "14", None, []]),
)
made_calls = st.lists(st.sampled_from(GOOD_CALLS) | st.tuples(names, arguments), max_size=6)
orders = st.lists(st.lists(names, max_size=4), min_size=1, max_size=3)
messages = st.sampled_from(["Loan granted", "No loan granted", "", "granted"])


@given(made_calls, orders, messages, st.sampled_from(["published", "corrected"]))
def test_the_laws_of_the_benchmarks_tables_hold_for_every_record(made, order, message, mode):
    of = case(made, message, {**GRANTED, "tool_order": order})

    def get(name: str, **settings: Any) -> float:
        found = value(f"agentarch_{name}", of, mode, **settings)
        assert found is not None
        return found

    lenient, strict = get("tools"), get("tools", choice="strict")
    acceptable = get("acceptable")
    assert acceptable <= lenient
    assert acceptable <= get("decision")
    assert strict <= lenient
    assert get("acceptable", choice="strict") <= acceptable
    assert lenient + get("missing_tools") <= 1


def test_lenient_as_published_reads_a_flat_order_as_names_where_the_others_read_its_letters():
    flat = {**GRANTED, "tool_order": ["open_loan", "swift"], "tool_args": {}}
    of = case([("open_loan", {"days": 1})], truth=flat)
    assert value("agentarch_tools", of, "published") == 1
    assert value("agentarch_tools", of, "published", choice="strict") == 0
    assert value("agentarch_extraneous_tools", of, "published") == 1
    assert value("agentarch_tools", of) == 0
    assert value("agentarch_missing_tools", of) == 1
