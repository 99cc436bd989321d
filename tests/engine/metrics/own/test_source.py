"""What `metrics.py` offers is read from its source; what is wrong with it is said with its line."""

import pytest

from studio.engine.metrics.own import code
from studio.engine.metrics.own.source import read_metrics

GOOD = '''
import os

os._exit(1)  # is never run

def polite(query, trace):
    """Is the answer polite?

    It thanks.
    """
    return "thank" in trace.answer

def spread(query, trace, /, factor=2, *, base=1, **more): return factor

def helper(a, b): pass
def _private(query): pass
def raises(query, trace): raise NotImplementedError
class Thing:
    def method(self, query): pass
CONSTANT = lambda query, trace: 1
'''


def test_each_public_function_of_a_query_and_a_trace_is_a_metric():
    found = read_metrics(GOOD)
    assert found.problems == ()
    assert [metric.name for metric in found.metrics] == ["polite", "spread", "raises"]
    assert found.metrics[0].description == "Is the answer polite?\n\nIt thanks."
    assert {metric.digest for metric in found.metrics} == {code.digest(GOOD.encode())}


def test_a_byte_order_mark_makes_no_other_version():
    assert code.digest(b"\xef\xbb\xbf" + GOOD.encode()) == code.digest(GOOD.encode())


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("def a(trace, query): return 1", 1, "must begin with query, trace"),
        ("\n\ndef a(query): return 1", 3, "must begin with query, trace"),
        ("def a(query, other): return 1", 1, "must begin with query, trace"),
        ("def a(query, trace, third): return 1", 1, "is given a query and a trace only"),
        ("def a(query, trace, *, third): return 1", 1, "is given a query and a trace only"),
        ("async def a(query, trace): return 1", 1, "is a coroutine"),
        ("def a(query, trace): pass", 1, "returns nothing"),
        ("def a(query, trace):\n    def b(): return 1\n    return", 1, "returns nothing"),
        ("def a(query, trace): return 1\ndef a(query, trace): return 2", 2, "a second time"),
        ("def a(query, trace: return 1", 1, "no valid Python"),
        ("x = '" + "(" * 10 + "\n", 1, "no valid Python"),
        ("(" * 5000, 1, "no valid Python"),
        ("x = " + "-" * 100_000 + "1", 0, "no valid Python"),
    ],
)
def test_a_mistake_is_said_with_its_line(source: str, line: int, words: str):
    [problem] = read_metrics(source).problems
    assert (problem.file, problem.line) == ("metrics.py", line)
    assert words in problem.problem
