"""The grader lab reads a stream of lines: one verdict a line, whatever it holds, however long."""

import io
import itertools
import json
import os
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from studio.engine.analysis.benchmark_figures import counts_for
from studio.engine.events import TrialEnded
from studio.engine.grading import Tally, graded_blocks, graded_lines
from studio.engine.grading.lines import LONGEST_LINE
from studio.engine.metrics import CATALOGUE
from studio.engine.outcomes import Outcome
from studio.engine.records import Query
from studio.engine.trace import Trace

MATCH = CATALOGUE["call_match"]()
RIGHT = b'{"id": 1, "actual": null, "expected": null}'
WRONG = b'{"id": 2, "actual": null, "expected": {"name": "f", "args": {}}}'


def verdicts(source: bytes, metric: Any = MATCH) -> list[dict[str, Any]]:
    return [json.loads(line) for line in graded_lines(metric, io.BytesIO(source), Tally())]


def test_each_line_has_a_verdict_with_its_number_and_its_id():
    first, second = verdicts(RIGHT + b"\n\n  \r\n" + WRONG)
    assert (first["line"], first["id"], first["score"]) == (1, 1, 1.0)
    assert (second["line"], second["id"], second["score"]) == (4, 2, 0.0)
    assert first["metric"] == "call_match"
    assert second["reason"] == "no call was made, one was needed"


def test_a_verdict_carries_the_version_that_a_stored_score_carries():
    metric = CATALOGUE["composite"](parts={"answer_contains": 1.0, "exact_match": 1.0})
    trace = Trace([TrialEnded(1.0, Outcome.FINISHED)])
    [verdict] = verdicts(b'{"answer": "5"}', metric)
    assert verdict["version"] == metric.score(Query("q", "?"), trace).version
    assert "/" in verdict["version"], "its parts are told with their versions"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "the line is no JSON"),
        (b"[1]", "the line is no JSON object (write one object a line"),
        (b"[", "the line is no JSON (write one object a line"),
        (b"{},", "the line is no JSON (write one object a line"),
        (b"null", "the line is no JSON object"),
        (b"\xff\xfe", "the line is no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"actual": ' + b"9" * 5_000 + b"}", "the line is no JSON"),
        (b"{}", "it does not say what was done"),
        (b'{"expected": {"calls": ["f(1)"]}}', "the arguments of call 1 have no names"),
        (b'{"expected": {"calls": ["f(a=1"]}, "calls": ["f(a=)"]}', "call 1 cannot be read"),
    ],
)
def test_a_line_that_is_no_case_is_not_scored_and_ends_nothing(line, reason):
    bad, good = verdicts(line + b"\n" + RIGHT)
    assert bad["score"] is None
    assert reason in bad["reason"]
    assert good["score"] == 1.0


_WRONG = {str: "x", int: 6, list: []}
MADE = [{"name": "f", "arguments": {"a": 1}}]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("tool_call_accuracy", {"expected_calls": MADE, "detected_calls": MADE}),
        ("tool_call_accuracy", {"expected_tool_calls": MADE, "tool_calls": MADE}),
        ("tool_call_accuracy", {"expected": MADE, "actual": MADE}),
        ("tool_call_accuracy", {"expected_calls": ["f(a=1)"], "actual": MADE}),
        ("number_in_answer", {"expected": 5, "answer": 5}),
        ("number_in_answer", {"expected_number": 5, "expected_unit": "kg", "output": "5 kg"}),
        ("number_in_answer", {"expected": 5.5, "actual": "It is 5.5."}),
        ("answer_contains", {"must_contain": "a", "prediction": "A b"}),
        ("answer_pattern", {"expected_pattern": "a+", "output": "aa"}),
        ("exact_match", {"expected": "Paris", "actual": "paris"}),
        ("exact_match", {"expected": ["Rome", "Paris"], "prediction": "paris"}),
    ],
)
def test_what_old_results_call_things_is_understood(name, case):
    (right,) = verdicts(json.dumps(case).encode(), CATALOGUE[name]())
    assert right["score"] == 1.0
    wrong = {
        key: value if key.startswith(("expected", "must")) else _WRONG[type(value)]
        for key, value in case.items()
    }
    (verdict,) = verdicts(json.dumps(wrong).encode(), CATALOGUE[name]())
    assert verdict["score"] == 0.0


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ({"name": "f", "input": 5}, "the arguments of call 1 are no object"),
        ({"name": "f", "input": [1]}, "the arguments of call 1 are no object"),
        ({"name": ["f"], "input": {}}, "call 1 has no name"),
    ],
)
def test_a_call_of_a_message_that_is_none_is_said_and_not_taken_for_one(block, reason):
    content = [{"type": "tool_use", "id": "1", **block}]
    case = {
        "messages": [{"role": "assistant", "content": content}],
        "expected": {"calls": [{"name": "f", "arguments": {}}]},
    }
    (verdict,) = verdicts(json.dumps(case).encode(), CATALOGUE["tool_call_accuracy"]())
    assert verdict["score"] is None
    assert reason in verdict["reason"]


def called(id, **arguments):
    return {"id": id, "function": {"name": "s", "arguments": json.dumps(arguments)}}


def used(id, **arguments):
    return {"type": "tool_use", "id": id, "name": "s", "input": arguments}


def returned(id, content, **more):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def said(role, content, **more):
    return {"role": role, "content": content, **more}


def wrapped(kind, **inside):
    return {"lc": 1, "type": "constructor", "id": ["x", kind], "kwargs": inside}


TWO = said("assistant", "", tool_calls=[called("1", q=1), called("2", q=2)])
CONVERSATIONS = {
    "in another order": [TWO, said("tool", '["b"]', tool_call_id="2"),
                         said("tool", '["a"]', tool_call_id="1")],
    "of the second alone": [TWO, said("tool", '["a"]', tool_call_id="2")],
    "without the ids of any call": [TWO, said("tool", '["a"]', tool_call_id="x"),
                                    said("tool", '["b"]', tool_call_id="y")],
    "as Anthropic writes them": [
        said("assistant", [used("1", q=1), used("2", q=2)]),
        said("user", [returned("2", [{"type": "text", "text": '["b"]'}]), returned("1", '["a"]')]),
    ],
    "as LangChain wraps them": [
        wrapped("AIMessage", content="", tool_calls=[{"name": "s", "args": {}, "id": "1"}]),
        wrapped("ToolMessage", content='["a"]', tool_call_id="1"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_result_of_messages_goes_to_the_call_of_its_id(name):
    case = {"messages": CONVERSATIONS[name], "expected": {"documents": ["a"]}}
    metric = CATALOGUE["reciprocal_rank"](tool="s")
    (verdict,) = verdicts(json.dumps(case).encode(), metric)
    assert verdict["score"] == 1.0


@pytest.mark.parametrize(
    "messages",
    [
        [said("assistant", [used("1")]), said("user", [returned("1", "no", is_error=True)])],
        [said("assistant", "", tool_calls=[called("1")]),
         said("tool", "no", tool_call_id="1", status="error", name="s")],
    ],
)  # fmt: skip
def test_a_result_that_is_said_to_be_an_error_is_a_mistake_to_be_noticed(messages):
    case = {"messages": [*messages, said("assistant", "Done.")]}
    (verdict,) = verdicts(json.dumps(case).encode(), CATALOGUE["reflection_score"]())
    assert verdict["score"] == 0.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reciprocal_rank", {"documents": ["a"]}),
        ("reciprocal_rank", {"documents": {"a": 2}}),
        ("ifeval", {"instructions": ["punctuation:no_comma"]}),
        ("ifeval", {"instructions": [{"punctuation:no_comma": {}}]}),
        ("ifeval", {"instructions": [{"punctuation:no_comma": None}]}),
        ("ifeval", {"instructions": [{"id": "punctuation:no_comma"}]}),
    ],
)
def test_a_case_states_what_is_expected_as_a_query_does(name, expected):
    case = {"calls": [{"name": "s", "result": '["a"]'}], "answer": "Yes", "expected": expected}
    kind = CATALOGUE[name]
    metric = kind(tool="s") if name == "reciprocal_rank" else kind()
    (verdict,) = verdicts(json.dumps(case).encode(), metric)
    assert verdict["score"] == 1.0


def test_json_as_python_writes_it_is_read():
    case = b'{"id": "\\ud800", "actual": {"name": "f", "args": {"x": NaN}}, "expected": null}'
    (verdict,) = verdicts(case)
    assert verdict["score"] == 0.0


def test_a_line_that_is_too_long_is_passed_over():
    long = b'{"id": "' + b"x" * LONGEST_LINE + b'"}'
    bad, good = verdicts(long + b"\n" + RIGHT)
    assert (bad["score"], bad["line"]) == (None, 1)
    assert "longer than" in bad["reason"]
    assert (good["score"], good["line"]) == (1.0, 2)
    assert [each["score"] for each in verdicts(long)] == [None]


class Endless(io.RawIOBase):
    """Never ends, and counts what was read of it."""

    def __init__(self, line: bytes) -> None:
        self._source: Iterator[bytes] = itertools.repeat(line)
        self.taken = 0

    def read1(self, size: int = -1) -> bytes:
        lines = b"".join(itertools.islice(self._source, 100))
        self.taken += len(lines)
        return lines


def test_an_endless_stream_is_read_as_far_as_verdicts_are_taken():
    source = Endless(RIGHT + b"\n")
    taken = list(itertools.islice(graded_lines(MATCH, source, Tally()), 1_000))
    assert len(taken) == 1_000
    assert source.taken <= 1_000 * (len(RIGHT) + 1)


def test_memory_does_not_grow_with_the_number_of_lines():
    def peak(count: int) -> int:
        verdicts = graded_lines(MATCH, Endless(WRONG + b"\n"), Tally())
        tracemalloc.start()
        for _ in itertools.islice(verdicts, count):
            pass
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(10_000) < 2 * peak(1_000)


def test_what_was_written_so_far_is_graded_at_once():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as pipe:
        pipe.write(RIGHT + b"\n" + WRONG[:10])
        blocks = graded_blocks(MATCH, source, Tally())
        assert [json.loads(line)["score"] for line in next(blocks)] == [1.0]
        pipe.write(WRONG[10:])
        pipe.close()
        assert [json.loads(line)["line"] for block in blocks for line in block] == [2]


def test_the_tally_counts_what_is_scored_and_what_is_not():
    tally = Tally()
    list(graded_lines(MATCH, io.BytesIO(RIGHT + b"\n" + WRONG + b"\n{\n"), tally))
    assert (tally.scored, tally.not_scored, tally.mean) == (2, 1, 0.5)
    assert tally.figures == ()
    assert Tally().mean is None


def test_the_tally_of_a_benchmark_holds_its_figures():
    metric = CATALOGUE["simpleqa_grade"]()
    tally = Tally(counts_for(metric))
    list(graded_lines(metric, io.BytesIO(b'{"grade": "A"}\n{"grade": "C"}\n{}'), tally))
    assert [figure.words for figure in tally.figures][:2] == [
        "correct 0.5000 (1 of 2)",
        "incorrect 0.0000 (0 of 2)",
    ]
