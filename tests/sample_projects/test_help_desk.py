"""A test project whose queries show the metrics of conversations, confidence and AgentArch.

`python -m tests.sample_projects.play help_desk` opens it in the window.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine import project
from studio.engine.metrics import build
from studio.engine.metrics.agentarch import AGENT_ARCH
from studio.engine.metrics.conversation import CONVERSATION
from studio.engine.store.reader import RunReader
from tests.ollama_fixture import ScriptedOllama
from tests.sample_projects import play

ROOT = Path(__file__).parents[2]
OTHERS = {
    "stated_confidence", "claimed_success", "reflection_score", "composite", "composite_passed",
}  # fmt: skip
NEW = {metric.name for metric in (*AGENT_ARCH, *CONVERSATION)} | OTHERS

Scores = dict[tuple[str, str], float | None]


@pytest.fixture
def scores(tmp_path: Path, scripted_ollama: ScriptedOllama) -> Scores:
    """The scores of a run of the project by the real engine, by query and metric."""
    folder = play.copy("help_desk", tmp_path, scripted_ollama.play(play.script("help_desk")))
    done = subprocess.run(
        [sys.executable, "-m", "studio", "run", str(folder), "--trust"],
        cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with contextlib.closing(RunReader(folder)) as reader:
        rows = list(reader.trials(1))
    return {(row.query_id, score.metric): score.value for row in rows for score in row.scores}


def test_the_project_is_good_and_measures_every_one_of_these_metrics():
    loaded = project.load(play.FOLDER / "help_desk")
    assert {metric.name for metric in build(loaded.project.metrics)} == NEW


def test_every_metric_has_a_score_in_some_trial_of_a_run(scores):
    scored = {
        metric.partition("(")[0] for (_, metric), value in scores.items() if value is not None
    }
    assert scored == NEW
    expected = {
        ("password", "memory_score"): 1, ("password", "error_recovery"): 1,
        ("password", "turn_coherence"): 1, ("password", "stated_confidence"): 0.9,
        ("password", "checklist"): 0.5, ("password", "claimed_success"): 1,
        ("cancel", "agentarch_acceptable"): 1, ("cancel", "agentarch_tools(choice=strict)"): 1,
        ("cancel", "agentarch_decision"): 1, ("cancel", "agentarch_arguments"): 1,
        ("cancel", "agentarch_hallucination"): 0, ("cancel", "unnecessary_escalation"): 0,
        ("cancel", "stated_confidence"): 0.95, ("cancel", "memory_score"): None,
        ("cancel", "composite(unscored=reweigh)"): 1,
        ("parcel", "agentarch_orchestrator"): 1, ("parcel", "stated_confidence"): None,
        ("typo", "reflection_score"): 1, ("typo", "agentarch_arguments"): 0.5,
        ("typo", "stated_confidence"): 0.8, ("typo", "agentarch_repetition"): 0,
        ("fraud", "missed_escalation"): 1, ("fraud", "claimed_success"): 0,
        ("fraud", "unnecessary_escalation"): None,
    }  # fmt: skip
    assert {place: scores[place] for place in expected} == pytest.approx(expected)
