"""A project's own metrics run in real child processes; whatever they do is an answer."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from studio.engine import trust
from studio.engine.analysis import passing
from studio.engine.errors import NotTrusted, StudioError
from studio.engine.grading import grade
from studio.engine.metrics.help import example, help_text
from studio.engine.metrics.own import code
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Criteria,
    MetricSpec,
    Score,
    Threshold,
)
from studio.engine.scoring import Scorer
from tests.engine.metrics.made_traces import calls, query, trace

METRICS = '''
import ctypes, os, pathlib, subprocess, sys, time

import sibling

seen = []

def right(query, trace):
    """Is it what was expected?"""
    return query.expected.contains[0] in trace.answer

def share(query, trace):
    made = [(call.name, call.arguments, call.result, call.error) for call in trace.calls]
    return 0.25, f"{query.id} {query.text} {query.expected.number} {made} {trace.steps}"

def count(query, trace): return len(trace.replies)
def none(query, trace): return None
def none_with_reason(query, trace): return None, "it is about birds"
def nan(query, trace): return float("nan")
def infinite(query, trace): return float("inf")
def huge(query, trace): return 10 ** 400
def too_much(query, trace): return 1.5
def text(query, trace): return "good"
def triple(query, trace): return 1, 2, 3
def odd_reason(query, trace): return 1, {"because": [1]}
def long_reason(query, trace): return 1, "x" * 5_000_000
def surrogate(query, trace): return 1, "\\ud800"
def fail(query, trace): return trace.nothing
def deep(query, trace): return deep(query, trace)
def leave(query, trace): os._exit(3)
def leave_politely(query, trace): sys.exit(4)
def crash(query, trace): ctypes.string_at(0)
def hang(query, trace):
    while True: pass
def hang_with_a_program(query, trace):
    child = subprocess.Popen(["sleep", "60"])
    pathlib.Path("pid").write_text(str(child.pid))
    time.sleep(60)
def bomb(query, trace): return len(bytearray(10 ** 13))
def talk(query, trace):
    for number in range(100_000): print(number)
    print("to the other", file=sys.stderr)
    os.write(1, b"{}\\n" * 1000)
    return input() if sys.stdin.read() else 1
def spoil(query, trace):
    trace.calls.clear()
    query.expected.contains = None
    return 1
def below(query, trace): return -0.5
def stated(query, trace):
    expected = query.expected
    [rule] = expected.instructions
    return 1, repr((expected.calls[1].arguments, expected.chain, expected.bfcl, rule.arguments))
def fork(query, trace):
    copy = os.fork()
    if copy: os.waitpid(copy, 0)
    return 0.5 if copy else 0.125
def break_the_process(query, trace):
    __builtins__["isinstance"] = None
    return 1
def process(query, trace): return None, str(os.getpid())
def count_up(query, trace):
    seen.append(1)
    return None, str(len(seen) + sibling.START)
'''
FOUND = query(contains=("5",), number=5.0, calls=calls(("a", {"b": 1})))
DONE = trace("It is 5.", made=[("a", {"b": 1})])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "metrics.py").write_text(METRICS)
    (tmp_path / "sibling.py").write_text("START = 10\n")
    trust.trust(tmp_path)
    return tmp_path


def criteria(*functions: str, **settings: object) -> Criteria:
    return Criteria(
        tuple(MetricSpec("own", {"function": function, **settings}) for function in functions)
    )


def asked(folder: Path, *functions: str, **settings: object) -> list[Score]:
    with Scorer(criteria(*functions, **settings), folder) as scorer:
        return list(scorer.opinion(FOUND, DONE).scores)


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that ended and waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def why(folder: Path, function: str, **settings: object) -> str:
    """The reason for which the trial is not scored; the next question is answered all the same."""
    first, after = asked(folder, function, "right", **settings)
    assert first.value is None
    assert after.value == 1.0
    assert first.version == after.version == code.digest(METRICS.encode())
    return first.reason


def test_true_and_a_number_with_its_reason_are_values(folder: Path):
    right, share = asked(folder, "right", "share")
    assert (right.metric, right.value, right.reason) == ("own(function=right)", 1.0, "")
    assert share.value == 0.25
    assert share.reason == (
        "q1 How much? 5.0 [('a', {'b': 1}, 'ok', None)] ['agent', 'tools', 'agent']"
    )


def test_a_function_is_told_all_that_may_be_stated_and_of_each_call_its_arguments(folder: Path):
    case = {
        "calls": ["a"],
        "expected": {
            "calls": ["a", "b"], "chain": {"required": ["a"]},
            "instructions": [{"id": "punctuation:no_comma"}],
        },
    }  # fmt: skip
    with Scorer(criteria("stated"), folder) as scorer:
        verdict = grade(scorer.metrics[0], case)
    assert (verdict.value, verdict.reason) == (1.0, "({}, {'required': ['a']}, None, {})")


def test_the_range_is_what_the_project_says(folder: Path):
    [counted] = asked(folder, "count", highest=None, better="lower")
    assert counted.value == 2.0
    assert counted.metric == "own(function=count)"
    assert "outside the metric's range" in why(folder, "too_much")


def test_a_case_is_held_to_the_range_as_a_trial_is(folder: Path):
    with Scorer(criteria("below"), folder) as scorer:
        verdict = grade(scorer.metrics[0], {"answer": "x"})
    assert verdict.value is None
    assert "-0.5 is outside the metric's range" in verdict.reason


@pytest.mark.parametrize(("lowest", "highest"), [(1, 1), (2, 1), (0, -1)])
def test_a_range_without_two_ends_is_refused(lowest: float, highest: float):
    with pytest.raises(StudioError, match="cannot go from"):
        Scorer(criteria("right", lowest=lowest, highest=highest))


@pytest.mark.skipif(sys.platform == "win32", reason="forks as POSIX does")
def test_a_copy_of_the_process_answers_nobody(folder: Path):
    assert [score.value for score in asked(folder, "fork", "right", "share")] == [0.5, 1.0, 0.25]


def test_a_threshold_of_a_metric_that_falls_is_the_most_that_passes(folder: Path):
    wanted = Criteria(
        criteria("count", highest=None, better="lower").metrics,
        (Threshold("own(function=count)", 1.0),),
    )
    with Scorer(wanted, folder) as scorer:
        rules = passing.rules(scorer.metrics, wanted.passed)
        assert passing.passed(rules, scorer.opinion(FOUND, DONE).scores) is False
        assert passing.passed(rules, scorer.opinion(FOUND, trace()).scores) is True


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("none", "gave no value, and no reason"),
        ("none_with_reason", "it is about birds"),
        ("nan", "returned nan"),
        ("infinite", "returned inf"),
        ("huge", "OverflowError"),
        ("text", "'good', which is no number"),
        ("triple", "(1, 2, 3), which is no number"),
        ("fail", "AttributeError"),
        ("fail", "\n  metrics.py, line 28, in fail: def fail(query, trace): return trace.nothing"),
        ("deep", "RecursionError"),
        ("leave", "ended its process with exit status 3"),
        ("break_the_process", "ended its process with exit status 1"),
        ("leave_politely", "SystemExit: 4"),
        ("no_such", "has no function 'no_such'"),
    ],
)
def test_what_is_no_value_is_not_scored_and_says_why(folder: Path, function: str, words: str):
    assert words in why(folder, function)


@pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
def test_a_crash_and_a_bomb_are_not_scored(folder: Path):
    assert "crashed its process with SIGSEGV" in why(folder, "crash")
    assert "MemoryError" in why(folder, "bomb")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_metric_that_hangs_is_ended_with_what_it_started(folder: Path):
    assert why(folder, "hang", time_limit=0.5) == "the metric took longer than 0.5 s"
    assert "longer" in why(folder, "hang_with_a_program", time_limit=1)
    assert not is_alive(int((folder / "pid").read_text()))


def test_a_reason_is_a_text_of_bounded_length(folder: Path):
    odd, long, half = asked(folder, "odd_reason", "long_reason", "surrogate")
    assert odd.reason == "{'because': [1]}"
    assert len(long.reason) < 2_100
    assert (half.value, half.reason) == (1.0, "?")


def test_the_end_of_what_it_prints_is_kept_and_disturbs_nothing(folder: Path):
    [talked] = asked(folder, "talk")
    assert talked.value == 1.0
    printed = talked.evidence["printed"]
    assert printed.endswith("99998\n99999\nto the other\n")
    assert len(printed) <= 2_000


def test_what_one_metric_does_to_what_it_is_given_no_other_sees(folder: Path):
    assert [score.value for score in asked(folder, "spoil", "right")] == [1.0, 1.0]


def test_the_file_is_imported_once_a_process(folder: Path):
    with Scorer(criteria("count_up"), folder) as scorer:
        said = [scorer.opinion(FOUND, DONE).scores[0].reason for _ in range(3)]
    assert said == ["11", "12", "13"]


def test_scores_of_two_versions_are_told_apart(folder: Path):
    [before] = asked(folder, "right")
    (folder / "metrics.py").write_text("def right(query, trace): return 0")
    [after] = asked(folder, "right")
    assert (before.value, after.value) == (1.0, 0.0)
    assert before.metric == after.metric
    assert before.version != after.version


def test_what_was_compiled_before_is_not_taken_for_what_stands_there(folder: Path):
    (folder / "metrics.py").write_text("def right(query, trace): return 0")
    subprocess.run([sys.executable, "-c", "import metrics"], cwd=folder, check=True)
    stamp = (folder / "metrics.py").stat()
    (folder / "metrics.py").write_text("def right(query, trace): return 1")
    os.utime(folder / "metrics.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert asked(folder, "right")[0].value == 1.0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("1 / 0", "cannot be imported: ZeroDivisionError"),
        ("def right(query, trace:", "cannot be imported: SyntaxError"),
        ("import sys; sys.exit()", "cannot be imported: SystemExit"),
        ("import os; os._exit(5)", "ended its process with exit status 5 while it was imported"),
        (None, "cannot be imported: FileNotFoundError"),
    ],
)
def test_a_file_that_cannot_be_imported_is_said_with_every_score(
    folder: Path, source: str | None, words: str
):
    (folder / "metrics.py").unlink()
    if source is not None:
        (folder / "metrics.py").write_text(source)
    right, fail = asked(folder, "right", "fail")
    assert right.value is fail.value is None
    assert words in right.reason
    assert words in fail.reason


def test_an_import_that_hangs_is_waited_for_once(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(code, "IMPORT_LIMIT", 0.5)
    (folder / "metrics.py").write_text("while True: pass")
    began = time.monotonic()
    scores = asked(folder, *(f"f{number}" for number in range(40)))
    assert {score.reason for score in scores} == {
        "metrics.py took longer than 0.5 s to be imported"
    }
    assert time.monotonic() - began < 15


def test_a_trial_that_was_no_fair_chance_is_not_asked_about(folder: Path):
    with Scorer(criteria("leave"), folder) as scorer:
        [score] = scorer.opinion(FOUND, trace(outcome=Outcome.TIMED_OUT)).scores
    assert score.reason == "the trial ran out of time"
    assert score.version == code.digest(METRICS.encode())


def test_closing_ends_the_metric_that_is_asked(folder: Path):
    with Scorer(criteria("hang", time_limit=60), folder) as scorer:
        found: list[Score] = []
        asking = threading.Thread(target=lambda: found.extend(scorer.opinion(FOUND, DONE).scores))
        asking.start()
        time.sleep(0.2)
        scorer.close()
        asking.join(20)
        assert found[0].value is None
        assert scorer.opinion(FOUND, DONE).scores[0].reason == "scoring was stopped"


def test_two_threads_are_answered_by_two_processes(folder: Path):
    with Scorer(criteria("process", "hang", time_limit=1), folder) as scorer:
        said: list[str] = []
        threads = [
            threading.Thread(
                target=lambda: said.append(scorer.opinion(FOUND, DONE).scores[0].reason)
            )
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert len(set(said)) == 2


ASKED = """
import os, sys
from pathlib import Path
from studio.engine.metrics.own.code import OwnCode
from tests.engine.metrics.own.test_code import DONE, FOUND

print(OwnCode(Path(sys.argv[1])).ask("process", FOUND, DONE, 5).verdict.reason, flush=True)
OwnCode(Path(sys.argv[1])).ask("hang", FOUND, DONE, 60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_processes_end_with_the_engine_however_it_ends(folder: Path):
    with subprocess.Popen(
        [sys.executable, "-c", ASKED, str(folder)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[4],
    ) as engine:
        assert engine.stdout is not None
        pid = int(engine.stdout.readline())
        assert is_alive(pid)
        engine.kill()
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(pid)


def test_nothing_runs_before_the_project_is_trusted(folder: Path):
    trust.distrust(folder)
    with pytest.raises(NotTrusted):
        Scorer(criteria("right"), folder)
    Scorer(Criteria((MetricSpec("steps"),)), folder).close()
    trust.trust(folder)
    assert asked(folder, "right")[0].value == 1.0


def test_the_example_of_the_help_page_is_graded_by_its_function(tmp_path: Path):
    block = help_text("own").partition("```python\n")[2].partition("```")[0]
    lines = [line.removeprefix("  ") for line in block.splitlines()]
    (tmp_path / "metrics.py").write_text("\n".join(lines))
    trust.trust(tmp_path)
    with Scorer(criteria("polite"), tmp_path) as scorer:
        verdict = grade(scorer.metrics[0], msgspec.json.decode(example("own")))
    assert verdict.value == 1.0
