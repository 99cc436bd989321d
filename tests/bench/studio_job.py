"""The benchmark's job as the studio does it: N cases, one tool call each, two scores.

Everything is real but the model, which answers at once in this process (as Inspect's mock model
does): the runner, the agent's graph, the tool in its child process, the metrics in their threads,
the store with every commit synced.  Prints one line of JSON: seconds of the run alone (imports not
counted), peak memory, bytes on disk.
"""

import asyncio
import contextlib
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from studio.engine.agents import AgentSetup, build, run_trial
from studio.engine.records import (
    Criteria,
    Expected,
    ExpectedCall,
    MetricSpec,
    ModelSpec,
    Prompt,
    Query,
    RunPlan,
    Tally,
    ToolSet,
    Variant,
)
from studio.engine.runner import Job, Means, Runner
from studio.engine.scoring import Scorer
from studio.engine.server_facts import ServerFacts
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from studio.engine.tools import ToolHost
from studio.engine.tools.signature import read_signatures
from studio.engine.trace import Trace
from tests.bench.agent_loop import InstantModel

TOOLS = '''def price(metal: str) -> str:
    """Price of a metal.

    Args:
        metal: the metal
    """
    return "61000"
'''
SPECS = (MetricSpec("answer_contains"), MetricSpec("tool_call_accuracy"))
EXPECTED = Expected(calls=(ExpectedCall("price", {"metal": "gold"}),), contains=("183,000",))


class Place:
    def __init__(self, folder: Path, variant: Variant) -> None:
        self._host = ToolHost(folder, variant.tool_set.tools)
        self._setup = AgentSetup(variant, InstantModel(), self._host, build("react"))

    async def run(self, job, emit):
        await self._host.reset()
        return await run_trial(job.query, self._setup, emit, number=job.number)

    async def close(self):
        await self._host.close()


async def not_again(_job: Job, _trace: Trace) -> None:
    """No server is there whose fault a failure could be."""


def servers() -> int:
    return 1


def run(folder: Path, count: int) -> float:
    """Run and score `count` cases in the folder; returns the seconds it took."""
    (folder / "tools.py").write_text(TOOLS)
    tools = read_signatures(folder / "tools.py").tools
    prompt = Prompt("p", "You know the prices of metals. Use the tools.")
    variant = Variant("v", prompt, ToolSet("t", tools), ModelSpec("instant"))
    queries = [Query(f"q{n}", f"What does gold cost? ({n})", EXPECTED) for n in range(count)]
    plan = RunPlan("bench", variant, tuple(query.id for query in queries), SPECS)
    began = time.perf_counter()
    with Store.open(folder) as store:
        run = store.create_run(plan, [ServerFacts("none", "0", is_embedded=False)], queries)
        means = Means(
            lambda: Place(folder, variant),
            Scorer(Criteria(tuple(SPECS))).opinion,
            not_again,
            servers,
        )
        runner = Runner(run, means, store, Tally(count))
        jobs = (Job(query, 1, position) for position, query in enumerate(queries))
        ending = asyncio.run(runner.run(jobs, lambda _progress: None))
        store.end_run(run, ending)
    return time.perf_counter() - began


def check(folder: Path, count: int) -> None:
    """Fail unless every case was stored with both scores at 1."""
    with contextlib.closing(RunReader(folder)) as reader:
        (row,) = reader.runs()
        assert (row.ending, row.tally.done) == ("finished", count), row
        scores = [s.value for t in reader.changed_trials(row.id, 0, count) for s in t.scores]
    assert scores == [1.0, 1.0] * count


def main() -> None:
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        seconds = run(folder, count)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        check(folder, count)
        size = (folder / ".studio" / "runs.sqlite").stat().st_size
    print(json.dumps({"seconds": seconds, "peak_mib": peak, "bytes": size}))


if __name__ == "__main__":
    main()
