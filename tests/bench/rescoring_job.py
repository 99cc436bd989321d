"""The benchmark's job as the studio does it: N stored trials are judged again.

``python -m tests.bench.rescoring_job TRIALS [light|heavy] [children at most]``: by two metrics, or
by ten, IFEval among them.  Each trial has the 16 events that one tool call makes, with the prompts
as they were sent.  They are read from the store, scored, put into the failure map, and their scores
written with every commit synced.  Prints one line of JSON: seconds of the judging alone, peak
memory.
"""

import json
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

from msgspec.structs import replace

from studio.engine import shared_scoring
from studio.engine.records import (
    Criteria,
    Expected,
    ExpectedCall,
    Instruction,
    MetricSpec,
    Query,
)
from studio.engine.rescoring import Rescoring
from studio.engine.scoring import Scorer
from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace

LIGHT = ("answer_contains", "tool_call_accuracy")
HEAVY = (
    *LIGHT, "argument_accuracy", "arguments_valid", "trajectory_match", "efficient_trajectory",
    "repeated_call", "loop", "claimed_success", "ifeval",
)  # fmt: skip
RULES = (
    Instruction(
        "length_constraints:number_sentences", {"num_sentences": 3, "relation": "less than"}
    ),
    Instruction("punctuation:no_comma"),
    Instruction("language:response_language", {"language": "en"}),
)


def _query(position: int, rules: tuple[Instruction, ...]) -> Query:
    query = a_query(position)
    metal = query.text.split()[5]
    expected = Expected(
        calls=(ExpectedCall("metal_price", {"metal": metal}),),
        contains=("dollars",),
        instructions=rules or None,
    )
    return replace(query, expected=expected)


def recorded(folder: Path, count: int, rules: tuple[Instruction, ...] = ()) -> int:
    """A stored run of so many trials; nothing of it is scored."""
    queries = [_query(position, rules) for position in range(count)]
    with Store.open(folder) as store:
        run = store.create_run(a_plan(count), (SERVER,), queries)
        for position, query in enumerate(queries):
            trial = store.begin_trial(run, query, 1, position)
            for event in a_trace(query):
                store.append(trial, event)
        store.end_run(run, "finished")
    return run


def main() -> None:
    count = int(sys.argv[1])
    names, rules = (HEAVY, RULES) if sys.argv[2:3] == ["heavy"] else (LIGHT, ())
    criteria = Criteria(tuple(MetricSpec(name) for name in names))
    if sys.argv[3:]:
        shared_scoring.MOST = int(sys.argv[3])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        run = recorded(folder, count, rules)
        with Store.open(folder) as store, Scorer(criteria, folder) as scorer:
            began = time.perf_counter()
            rescoring = Rescoring(store, run, criteria, scorer)
            rescoring.work(threading.Event())
            store.committed().result()
            seconds = time.perf_counter() - began
        assert rescoring.done == count
        reader = RunReader(folder)
        assert all(len(row.scores) == len(names) for row in reader.changed_trials(run, 0, count))
        reader.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak}))


if __name__ == "__main__":
    main()
