"""`studio grade` in a terminal: files and pipes in, verdicts out, counts on the error output."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from studio.engine.errors import StudioError
from studio.engine.metrics import CATALOGUE
from studio.grader import Wish, grade_cases, list_metrics, print_example

RIGHT = '{"id": "r", "actual": null, "expected": null}\n'
WRONG = '{"id": "w", "actual": null, "expected": {"name": "f", "args": {}}}\n'


def studio(*arguments: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "studio", "grade", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **more)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text(RIGHT + "\n{broken\n" + WRONG, "utf-8")
    return file


def verdicts(lines: str | bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def test_a_file_of_cases_becomes_verdicts_and_a_count(cases, capfdbinary):
    assert grade_cases(Wish("call_match", str(cases))) == 0
    out, said = capfdbinary.readouterr()
    assert [(each["line"], each["score"]) for each in verdicts(out)] == [
        (1, 1.0),
        (3, None),
        (4, 0.0),
    ]
    assert said.decode() == "Call match: 2 of 3 scored, mean 0.5000\n"


def test_where_no_case_has_what_the_metric_needs_it_is_said_where_that_stands(tmp_path, capfd):
    file = tmp_path / "cases.jsonl"
    file.write_text('{"answer": "88.16 USD"}\n', "utf-8")
    assert grade_cases(Wish("tokens", str(file), settings=["count=prompt"])) == 0
    assert capfd.readouterr().err.endswith(
        "0 of 1 scored\n`studio help tokens` says what a case needs; --example prints one.\n"
    )


def test_verdicts_can_go_to_a_file(cases, tmp_path, capfd):
    out = tmp_path / "verdicts.jsonl"
    assert grade_cases(Wish("call_match", str(cases), out=out)) == 0
    assert [each["score"] for each in verdicts(out.read_text("utf-8"))] == [1.0, None, 0.0]
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("is_piped", [False, True])
def test_verdicts_never_take_the_place_of_the_cases(cases, tmp_path, is_piped):
    before = cases.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(cases)
    with cases.open("rb") as file:
        name = "-" if is_piped else str(cases)
        done = studio("call_match", name, "--out", str(link), stdin=file)
    assert done.returncode == 1
    assert b"holds the cases" in done.stderr
    assert cases.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["METRIC", "CASES", "--mode", "published"],
        ["METRIC", "--mode", "published", "CASES"],
        ["--mode", "published", "METRIC", "CASES"],
    ],
)
def test_options_stand_where_one_likes(words, cases):
    named = {"METRIC": "bfcl_ast", "CASES": str(cases)}
    done = studio(*(named.get(word, word) for word in words))
    assert done.returncode == 0, done.stderr
    assert [each["metric"] for each in verdicts(done.stdout)] == ["bfcl_ast(mode=published)"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of POSIX closes the stream")
@pytest.mark.parametrize("closing", ["- <&-", "CASES >&-", "CASES >/dev/full"])
def test_a_stream_that_cannot_be_used_is_told_in_a_line(closing, cases):
    if "full" in closing and not Path("/dev/full").exists():
        pytest.skip("this system has no disk that is always full")
    line = f'"{sys.executable}" -m studio grade steps {closing.replace("CASES", str(cases))}'
    done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"studio: The standard ")


def test_cases_may_come_through_a_pipe():
    done = studio("call_match", "-", input=(RIGHT + WRONG).encode())
    assert done.returncode == 0
    assert [each["id"] for each in verdicts(done.stdout)] == ["r", "w"]


def test_no_cases_are_no_mean():
    done = studio("call_match", "-", input=b"\n\n")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"Call match: 0 of 0 scored\n"


def value(capfd: Any, tmp_path: Path, case: dict[str, Any], metric: str, **wish: Any) -> Any:
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(case), "utf-8")
    assert grade_cases(Wish(metric, str(file), **wish)) == 0
    [verdict] = verdicts(capfd.readouterr().out)
    return verdict["metric"], verdict["score"]


def test_a_mode_and_settings_can_be_stated(capfd, tmp_path):
    case = {"outputs": [{"role": "user", "content": "?"}], "reference_outputs": []}
    assert value(capfd, tmp_path, case, "trajectory_match") == ("trajectory_match", 0.0)
    settings = ["match=unordered", 'overrides={"f": ["x"]}']
    key, score = value(
        capfd, tmp_path, case, "trajectory_match", mode="published", settings=settings
    )
    assert key == 'trajectory_match(mode=published,match=unordered,overrides={"f":["x"]})'
    assert score == 1.0


def test_a_metric_with_one_mode_takes_either(capfd, tmp_path):
    case = {"tool_calls": [], "reference_tool_calls": []}
    for mode in ("published", "corrected"):
        scored = value(capfd, tmp_path, case, "ragas_tool_call_accuracy", mode=mode)
        assert scored == ("ragas_tool_call_accuracy", 1.0)


def test_a_benchmark_states_its_own_figures(capfd, tmp_path):
    file = tmp_path / "grades.jsonl"
    file.write_text('{"grade": "A"}\n{"grade": "B"}\n{"grade": "C"}\n{"grade": "A"}\n', "utf-8")
    assert grade_cases(Wish("simpleqa_grade", str(file), settings=["threshold=0.5"])) == 0
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "SimpleQA grade (threshold 0.5): 4 of 4 scored, mean 0.5000"
    assert said[1:] == [
        "  correct 0.5000 (2 of 4)",
        "  incorrect 0.2500 (1 of 4)",
        "  not attempted 0.2500 (1 of 4)",
        "  correct given attempted 0.6667 (2 of 3)",
        "  F 0.5714 (of 4)",
        "  penalised at 0.5 0.2500 (of 4)",
    ]


@pytest.mark.parametrize("name", ["bfcl_ast", "trajectory_match", "ragas_tool_call_accuracy"])
def test_an_example_can_be_printed_and_graded(name, capfd, tmp_path):
    assert print_example(name) == 0
    printed = capfd.readouterr().out
    assert value(capfd, tmp_path, json.loads(printed), name)[1] == 1.0


def test_an_example_goes_to_a_file_that_is_not_there_yet(capfd, tmp_path):
    out = tmp_path / "case.jsonl"
    named = ["steps", "--example", "--out", str(out)]
    done = studio(*named)
    assert (done.returncode, done.stdout) == (0, b"")
    assert print_example("steps") == 0
    assert out.read_text("utf-8") == capfd.readouterr().out
    out.write_text("edited by now")
    done = studio(*named)
    assert done.returncode == 1
    assert b"is there already. Name another file." in b" ".join(done.stderr.split())
    assert out.read_text("utf-8") == "edited by now"
    assert b"No such file" in studio(*named[:3], str(tmp_path / "nowhere" / "x")).stderr


def test_a_metric_of_a_project_s_own_has_the_example_of_them_all(capfd, tmp_path):
    (tmp_path / "metrics.py").write_text("def polite(query, trace): return 1")
    assert print_example("polite", tmp_path) == 0
    assert json.loads(capfd.readouterr().out)["answer"].startswith("Thank you")
    with pytest.raises(StudioError, match="no metric 'polit' of its own"):
        print_example("polit", tmp_path)


def test_without_a_metric_all_are_listed(capfd):
    assert list_metrics() == 0
    listed = capfd.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(CATALOGUE)
    assert all(len(line.split()) > 3 for line in listed)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["call_macth", "-"], "Did you mean 'call_match'"),
        (["call_match"], "Name a file"),
        (["call_match", "nowhere.jsonl"], "No such file"),
        (["call_match", "-", "--set", "speed"], "Write --set NAME=VALUE"),
        (["call_match", "-", "--set", "speed=5"], "no setting 'speed'"),
        (["trajectory_match", "-", "--set", "match=fuzzy"], "one of 'strict'"),
        (["call_match", "-", "--out", "nowhere/verdicts.jsonl"], "No such file"),
        (["bfcl_ast", "-", "--mode", "wild"], "invalid choice"),
        (["own", "-", "--set", "function=f"], "needs the project"),
        (["own", "-", "--project", "."], "names no function"),
        (["own", "-", "--project", ".", "--set", "function=f"], "no metric 'f' of its own"),
        (["polight", "-", "--project", "."], "no metric 'polight' of its own"),
        (["steps", "-", "--project", "nowhere", "--trust"], "There is no folder nowhere"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(arguments: Sequence[str], said, tmp_path):
    done = studio(*arguments, input=b"", cwd=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_whoever_reads_may_stop_reading():
    feed = [sys.executable, "-c", f"while True: print({WRONG!r}, end='', flush=True)"]
    grade = [sys.executable, "-m", "studio", "grade", "call_match", "-"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(feed, **quiet) as feeding,
        subprocess.Popen(grade, stdin=feeding.stdout, **quiet) as grading,
    ):
        assert feeding.stdout is not None
        assert grading.stdout is not None
        feeding.stdout.close()
        assert verdicts(grading.stdout.readline())[0]["score"] == 0.0
        grading.stdout.close()
        assert grading.wait(30) == 1
        assert feeding.wait(30) != 0, "nobody reads what it writes any more"


def test_grading_starts_light():
    heavy = ("yaml", "ruamel", "jsonschema", "regex", "nltk", "tree_sitter", "asyncio", "numpy")
    code = (
        "import sys; from studio.grader import Wish, grade_cases\n"
        "grade_cases(Wish('trajectory_match', '-'))\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, check=True)
    assert done.stdout == b"[]\n"
