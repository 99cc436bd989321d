"""The sample that shows the catalogue: what it expects is true, and each metric gets its value."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from studio.engine import project
from studio.engine.metrics import CATALOGUE
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import TrialRow
from studio.resources import sample_project
from tests.ollama_fixture import ScriptedOllama

FOLDER = sample_project("lending_library")
ROOT = Path(__file__).parents[2]
LOADED = project.load(FOLDER)
IN_CONVERSATIONS = {"memory_score", "error_recovery", "turn_coherence", "agentarch_orchestrator"}
"""What a trial of one turn and one agent has no value for; the tests' help desk shows these."""


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


def says(text: str) -> dict[str, Any]:
    return {"content": text}


GOOD = {
    "10 days late": [call("late_fee", days=10), says("The fee is 1.50 EUR. Confidence: 90%")],
    "Lend me Emma": [
        call("find_reader", name="Ada Byron"),
        call("find_book", title="Emma"),
        call("open_loan", reader_id="R7", book_id="B2", weeks=2),
        says("Loan granted: Emma, L-2002, until 16 March. Confidence: 95%"),
    ],
    "Lend me Walden": [
        call("find_reader", name="Max Noon"),
        says("No loan granted: I cannot lend to Max Noon while fees are unpaid."),
    ],
    "open on Saturday": [
        call("search_handbook", question="opening hours Saturday"),
        says("The handbook says: from 10 to 14."),
    ],
    "Who wrote Middlemarch": [call("find_book", title="Middlemarch"), says("George Eliot")],
    "lent at the moment": [says("B")],
    "reading room": [says("It has twenty four quiet seats and two scanners.")],
    "5 to 80 words": [says("A reader may borrow a book for one to four weeks.")],
    "Grade it": [says("A")],
    "roof is leaking": [says("I have called somebody of the staff: help is coming.")],
    "Waldon": [
        call("find_book", title="Waldon"),
        call("find_book", title="Walden"),
        says("Walden is free."),
    ],
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TrialRow]:
    """The trials of a run in which the model does everything right."""
    rules = [
        {"user": user, "tool_results": place, "reply": reply}
        for user, replies in GOOD.items()
        for place, reply in enumerate(replies)
    ]
    folder = tmp_path_factory.mktemp("library") / "lending_library"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__", ".studio"))
    with ScriptedOllama({"models": [{"name": "smollm2:135m"}], "rules": rules}) as server:
        command = [sys.executable, "-m", "studio", "run", str(folder), "--trust"]
        done = subprocess.run(
            [*command, "--server", server.address],
            cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with contextlib.closing(RunReader(folder)) as reader:
        return {row.query_id: row for row in reader.trials(1)}


def test_every_query_has_a_good_answer_in_this_test():
    assert [any(part in query.text for part in GOOD) for query in LOADED.queries].count(False) == 0


def test_the_sample_lists_every_metric_that_one_turn_can_show():
    listed = {spec.name for spec in LOADED.project.metrics}
    assert listed == set(CATALOGUE) - IN_CONVERSATIONS


def test_every_metric_has_a_value_in_some_trial(rows: dict[str, TrialRow]):
    scored = {
        score.metric.partition("(")[0]
        for row in rows.values()
        for score in row.scores
        if score.value is not None
    }
    assert scored == set(CATALOGUE) - IN_CONVERSATIONS


def test_an_agent_that_does_all_right_passes_and_nothing_is_found_against_it(
    rows: dict[str, TrialRow],
):
    wrong = {
        (name, score.metric): score.reason
        for name, row in rows.items()
        for score in row.scores
        if score.metric in {"tool_call_accuracy", "chain_check", "agentarch_acceptable", "bfcl_ast"}
        and score.value not in (None, 1.0)
    }
    # The misspelt title is tried first, which is what that query is there for.
    assert {name for name, _ in wrong} <= {"typo"}
    assert {name for name, row in rows.items() if row.findings} <= {"typo"}


def test_a_query_that_states_nothing_for_a_metric_is_not_scored_and_says_so(
    rows: dict[str, TrialRow],
):
    [score] = [score for score in rows["choice"].scores if score.metric == "chain_check"]
    assert score.value is None
    assert "states" in score.reason


@pytest.fixture(scope="module")
def tools() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lending_library_tools", FOLDER / "tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("query", LOADED.queries, ids=lambda query: query.id)
def test_the_expected_calls_succeed(query: Any, tools: ModuleType):
    for expected in query.expected.calls or ():
        assert getattr(tools, expected.name)(**expected.arguments)


def test_a_reader_with_unpaid_fees_gets_no_loan(tools: ModuleType):
    with pytest.raises(ValueError, match="unpaid"):
        tools.open_loan("R9", "B8", 1)
