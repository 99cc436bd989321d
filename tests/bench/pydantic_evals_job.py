"""The benchmark's job as pydantic-evals does it: N recorded cases, two evaluators.

Run by `rescoring.py` with an interpreter that has pydantic-evals; prints one line of JSON: seconds
of the evaluation alone, and peak memory.  Its cases are in memory before the clock starts: it reads
nothing and writes nothing, since it keeps neither traces nor results.
"""

import json
import resource
import sys
import time
from dataclasses import dataclass
from typing import Any

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext

RECORDED: dict[str, dict[str, Any]] = {}


@dataclass
class Contains(Evaluator):
    def evaluate(self, ctx: EvaluatorContext) -> bool:
        return ctx.expected_output["contains"].lower() in ctx.output["answer"].lower()


@dataclass
class CallsMatch(Evaluator):
    def evaluate(self, ctx: EvaluatorContext) -> float:
        wanted, made = ctx.expected_output["calls"], ctx.output["calls"]
        return sum(call in made for call in wanted) / len(wanted)


async def recorded(query: str) -> dict[str, Any]:
    return RECORDED[query]


def main() -> None:
    count = int(sys.argv[1])
    cases = []
    for number in range(count):
        query = f"q{number}"
        call = {"name": "metal_price", "arguments": {"metal": "gold"}}
        RECORDED[query] = {"answer": "Gold costs 88.16 US dollars.", "calls": [call]}
        expected = {"contains": "dollars", "calls": [call]}
        cases.append(Case(name=query, inputs=query, expected_output=expected))
    dataset = Dataset(name="recorded", cases=cases, evaluators=[Contains(), CallsMatch()])
    began = time.perf_counter()
    report = dataset.evaluate_sync(recorded, progress=False)
    seconds = time.perf_counter() - began
    assert len(report.cases) == count
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak}))


if __name__ == "__main__":
    main()
