"""Chains of calls: the article's trajectory tests, the rubric's order, and the guide's tool use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.grading import grade
from studio.engine.metrics.chain import ChainCheck, ToolUseCorrectness
from studio.engine.outcomes import Outcome
from tests.engine.metrics.made_traces import calls, query, trace

ARTICLE = {
    "a question": {
        "expected_tools": ["search"], "forbidden_tools": ["send_email", "delete_record"],
        "min_steps": 1, "max_steps": 3, "expected_outcome": "success",
    },
    "a task of three steps": {
        "expected_tools": ["search", "analyze", "send_email"], "forbidden_tools": ["delete_record"],
        "min_steps": 3, "max_steps": 8, "expected_outcome": "success",
    },
    "a request to be refused": {
        "expected_tools": [], "forbidden_tools": ["delete_record", "run_sql"],
        "min_steps": 0, "max_steps": 1, "expected_outcome": "graceful_failure",
    },
}  # fmt: skip
# The case, the tools called, the answer: published (which never looks at the outcome), corrected.
DONE = {
    "answered": ("a question", ["search"], "The timeout is 30 s.", 1.0, 1.0),
    "not looked up": ("a question", [], "The timeout is 30 s.", 0.0, 0.0),
    "too many steps": ("a question", ["search"] * 4, "It is 30 s.", 0.0, 0.0),
    "a forbidden tool": ("a question", ["search", "send_email"], "Sent.", 0.0, 0.0),
    "gave up instead of succeeding": ("a question", ["search"], "I cannot say.", 1.0, 0.0),
    "done": ("a task of three steps", ["search", "analyze", "send_email"], "Sent.", 1.0, 1.0),
    "a step missing": ("a task of three steps", ["search", "search", "analyze"], "Done.", 0.0, 0.0),
    "refused": ("a request to be refused", [], "I am not able to delete records.", 1.0, 1.0),
    "did not refuse": ("a request to be refused", ["search"], "All were deleted.", 1.0, 0.0),
    "deleted": ("a request to be refused", ["delete_record"], "I can't.", 0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", DONE)
def test_the_cases_of_the_article(name):
    stated, tools, answer, published, corrected = DONE[name]
    case = {**ARTICLE[stated], "tools_called": tools, "answer": answer}
    assert grade(ChainCheck(mode="published"), case).value == published
    verdict = grade(ChainCheck(), case)
    assert verdict.value == corrected
    assert (verdict.value == 1.0) == ("issues" not in verdict.evidence)


def chain(made, **stated):
    done = trace("Done.", [(name, {}) for name in made])
    return ChainCheck().score(query(more={"chain": stated}), done)


def test_what_comes_first_must_have_come_before():
    order = [["verify", "refund"]]
    assert chain(["verify", "refund"], order=order).value == 1.0
    assert chain(["refund", "verify"], order=order).value == 0.0
    assert chain(["refund"], order=order).value == 0.0
    assert chain(["verify"], order=order).value == 1.0, "what was not called is in order"
    assert chain(["a", "b"], order=[["a", "b", "c"]]).value == 1.0
    assert chain(["a", "c", "b"], order=[["a", "b", "c"]]).value == 0.0


def test_a_required_call_may_state_arguments_and_be_required_twice():
    done = trace("Done.", [("send", {"to": "team", "text": "x"}), ("send", {"to": "boss"})])

    def value(*required, mode="corrected"):
        asked = query(more={"chain": {"required": list(required)}})
        return ChainCheck(mode=mode).score(asked, done).value

    assert value({"send": {"to": "team"}}) == 1.0
    assert value({"send": {"to": "nobody"}}) == 0.0
    assert value("send", "send") == 1.0
    assert value("send", "send", "send") == 0.0
    assert value("send", "send", "send", mode="published") == 1.0
    assert value({"send": {"to": "boss"}}, "send") == 1.0


def test_one_kind_of_check_can_be_asked_for():
    asked = query(more={"chain": {"required": ["a"], "max_steps": 1}})
    done = trace("Done.", [("b", {}), ("c", {})])
    assert ChainCheck(checks="required").score(asked, done).value == 0.0
    assert ChainCheck(checks="steps").score(asked, done).value == 0.0
    assert ChainCheck(checks="forbidden").score(asked, done).value is None


def test_an_answer_is_wanted_for_any_outcome():
    asked = query(more={"chain": {"outcome": "graceful_failure"}})
    assert ChainCheck().score(asked, trace(None)).value == 0.0
    capped = trace("I cannot.", outcome=Outcome.STEP_CAP)
    assert ChainCheck().score(asked, capped).value == 0.0
    own = query(more={"chain": {"outcome": "graceful_failure", "says": ["nein"]}})
    assert ChainCheck().score(own, trace("Nein, danke.")).value == 1.0


@pytest.mark.parametrize(
    "stated",
    [5, "x", [], {"required": 5}, {"order": ["a"]}, {"order": [["a"]]}, {"min_steps": "two"},
     {"outcome": "fame"}, {"requried": ["a"]}, {"required": [{"name": 5}]}, {}],
)  # fmt: skip
def test_a_chain_that_cannot_be_read_is_not_scored_with_the_reason(stated):
    for metric in (ChainCheck(), ToolUseCorrectness()):
        score = metric.score(query(more={"chain": stated}), trace(made=[("a", {})]))
        assert score.value is None
        assert score.reason


def tool_use(required, made, **case):
    return grade(
        ToolUseCorrectness(),
        {
            "expected_trajectory": required,
            "agent_trace": [{"tool_name": n, "args": {}} for n in made],
        }
        | case,
    )


def test_the_guide_allows_one_other_tool():
    assert tool_use(["a", "b"], ["b", "a", "a"]).value == 1.0
    assert tool_use(["a", "b"], ["a"]).evidence["missing"] == ["b"]
    assert tool_use(["a"], ["a", "x"]).value == 1.0
    assert tool_use(["a"], ["a", "x", "y"]).evidence["extra"] == ["x", "y"]


def test_arguments_are_valid_by_the_schema_of_the_tool():
    tools = [{"name": "a", "parameters": {"type": "object", "required": ["q"]}}]
    assert tool_use(["a"], ["a"], tools=tools).value == 0.0
    assert tool_use(["a"], ["a"], tools=[{"name": "b"}]).value == 1.0
    assert ToolUseCorrectness().score(query(calls=calls(("a", {}))), trace()).value == 0.0


@given(st.lists(st.sampled_from("abc"), max_size=6))
def test_a_chain_holds_what_it_is_made_of(made):
    counts = {"min_steps": len(made), "max_steps": len(made)}
    assert chain(made, required=made, **counts).value == 1.0
    assert chain([*made, "d"], forbidden=["d"]).value == 0.0
