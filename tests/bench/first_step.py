"""From a press of Evaluate to the first step on disk, in the real engine process.

``python -m tests.bench.first_step [rounds]``: cold is a run asked for at once, warm one asked for
when the engine has had time to load its libraries, which is what a person does.  The model is a
scripted server on loopback.  Beside them stands what importing LangGraph alone takes.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from studio.engine import trust
from studio.engine.messages import RunEnded, StartRun
from studio.engine.store.reader import RunReader
from tests.engine import sample
from tests.engine.engine_process import EngineProcess, plan_of
from tests.ollama_fixture import ScriptedOllama

_WARM_SECONDS = 8.0


def _first_step(server: ScriptedOllama, *, pause: float) -> float:
    """Seconds from sending StartRun to a trace that can be read and holds a step."""
    with tempfile.TemporaryDirectory() as place:
        folder = sample.write(Path(place) / "p", server.play(sample.script()))
        environment = {"XDG_CONFIG_HOME": place, "XDG_STATE_HOME": place}
        os.environ.update(environment)
        trust.trust(folder)
        with EngineProcess(env=environment, stderr=subprocess.DEVNULL) as engine:
            opened = engine.open(folder)
            time.sleep(pause)
            began = time.perf_counter()
            engine.send(StartRun(plan_of(opened.project, ("q0",))))
            with contextlib.closing(RunReader(folder)) as reader:
                while len(reader.events(1)) < 2:
                    assert time.perf_counter() - began < 60, "the run did not begin"
                    time.sleep(0.001)
            seconds = time.perf_counter() - began
            engine.until(RunEnded)
    return seconds


def _import() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import langgraph.graph, langchain_ollama"], check=True)
    return time.perf_counter() - began


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    cold, warm, imports = [], [], []
    with contextlib.closing(ScriptedOllama()) as server:
        for _ in range(rounds):
            cold.append(_first_step(server, pause=0))
            warm.append(_first_step(server, pause=_WARM_SECONDS))
            imports.append(_import())
    table = Table(title=f"press of Evaluate to the first step on disk; median of {rounds}")
    for heading in ("", "ms", "of the import alone"):
        table.add_column(heading, justify="right")
    alone = statistics.median(imports)
    for name, found in (("engine just started", cold), ("engine warm", warm)):
        seconds = statistics.median(found)
        table.add_row(name, f"{seconds * 1000:.0f}", f"{seconds / alone:.2f} ×")
    table.add_row("importing LangGraph and langchain-ollama", f"{alone * 1000:.0f}", "1")
    Console().print(table)


if __name__ == "__main__":
    main()
