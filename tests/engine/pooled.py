"""Runs over several scripted servers: their scripts, the project, and what is stored of it."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.engine import trust
from studio.engine.messages import StartRun
from studio.engine.records import RunPlan
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow, TrialRow
from tests.engine import sample
from tests.engine.carrying_out import Make
from tests.ollama_fixture import ScriptedOllama

QUERIES = 6
IDS = tuple(f"q{number}" for number in range(QUERIES))
ANOTHER = [{"name": sample.MODEL, "digest": "f" * 64}]
"""Another model under the same name."""

BROKEN = {"status": 500, "error": "the runner was killed"}
Start = Callable[..., ScriptedOllama]


def tools_after(seconds: float) -> dict[str, Any]:
    """A script in which the first reply to each question takes a while."""
    [rule] = sample.RULES
    return sample.script(rules=[rule | {"reply": rule["reply"] | {"delay": seconds}}])


def silent_on(question: str) -> dict[str, Any]:
    silence = {"user": question, "reply": {"fault": "silence"}}
    return sample.script(rules=[silence, *sample.RULES])


def spread(folder: Path, *servers: Any, **settings_: Any) -> Path:
    """The sample project, its model asked of all these servers."""
    named = [getattr(each, "address", each) for each in servers]
    options = settings_.pop("options", {})
    model = {"name": sample.MODEL, "server": named, "options": options}
    made = sample.write(folder / "gold", "", queries=QUERIES, model=model, **settings_)
    trust.trust(made)
    return made


def stored(folder: Path, run: int = 1) -> tuple[RunRow, list[TrialRow]]:
    with contextlib.closing(RunReader(folder)) as reader:
        row = reader.run(run)
        assert row is not None
        return row, list(reader.trials(run))


def events(folder: Path, trial: TrialRow) -> list[Any]:
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.events(trial.id)


def chats(server: ScriptedOllama) -> list[dict[str, Any]]:
    """The chat requests that asked something, with what the log says of them."""
    asked = (each for each in server.log() if each["path"] == "/api/chat")
    return [each for each in asked if each["body"]["messages"]]


def killed_once_asked(server: ScriptedOllama, question: str) -> Make:
    """Starts the run, and kills the server once it was asked that question."""

    def kill() -> None:
        with contextlib.suppress(AssertionError, OSError):
            server.wait_for(lambda log: any(question in str(each["body"]) for each in log))
        server.kill()

    def make(plan: RunPlan) -> StartRun:
        asyncio.get_running_loop().run_in_executor(None, kill)
        return StartRun(plan)

    return make
