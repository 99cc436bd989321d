"""The graders of calls and trajectories beside the public ones, verdict by verdict.

``python -m tests.bench.graders [rounds]``: those rivals are measured that can be imported (the
extra `bench` has them).  Both sides grade the same cases in turn, in one process; what is printed
is the median of the ratios, and on how many cases the verdicts differ.  The last table is the whole
command, `studio grade`, from a file to a file: its start, reading and writing included.
"""

import asyncio
import contextlib
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from studio.engine.metrics import Metric, Verdict, build
from studio.engine.records import MetricSpec

Case = dict[str, Any]
_SEED = 7
_QUESTIONS = 200


class Duel(NamedTuple):
    """One grader beside its rival, which says 0 to 1 of a case, or raises."""

    name: str
    goal: float
    metric: Metric
    cases: Sequence[Case]
    rival: Callable[[Case], float]


def _metric(name: str, **settings: Any) -> Metric:
    [metric] = build([MetricSpec(name, settings)])
    return metric


def _bfcl() -> Iterator[Duel]:
    """BFCL's own questions; to each its answer and nine calls that differ from it somewhere."""
    checker = importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker")
    languages = importlib.import_module("bfcl_eval.constants.enums").Language
    data = Path(importlib.import_module("bfcl_eval").__file__ or "").parent / "data"
    rival = next(iter(checker.MODEL_CONFIG_MAPPING))

    def check(case: Case) -> float:
        language = languages.PYTHON
        parts = case["function"], case["result"], case["ground_truth"], language, case["category"]
        return float(checker.ast_checker(*parts, rival)["valid"])

    metric = _metric("bfcl_ast", mode="published")
    for category in ("simple_python", "multiple", "parallel", "live_multiple"):
        cases = list(_bfcl_cases(data, category))
        right = [case for case in cases if check(case)]
        wrong = [case for case in cases if not check(case)]
        yield Duel(f"BFCL {category}, valid", 2, metric, right, check)
        yield Duel(f"BFCL {category}, invalid", 2, metric, wrong, check)


def _bfcl_cases(data: Path, category: str) -> Iterator[Case]:
    chance = random.Random(_SEED)
    lines = [
        (data / folder / f"BFCL_v4_{category}.json").read_text("utf-8").splitlines()[:_QUESTIONS]
        for folder in ("", "possible_answer")
    ]
    for question, answer in zip(*(map(json.loads, each) for each in lines), strict=True):
        gold = [
            {name: {key: values[0] for key, values in arguments.items() if "" not in values}}
            for each in answer["ground_truth"]
            for name, arguments in each.items()
        ]
        case = {
            "category": category,
            "function": question["function"],
            "ground_truth": answer["ground_truth"],
        }
        yield {**case, "result": gold}
        for _ in range(9):
            yield {**case, "result": _changed(json.loads(json.dumps(gold)), chance)}


def _changed(calls: list[Case], chance: random.Random) -> list[Case]:
    """One thing about the calls is another: their number, an argument, or its value."""
    call = chance.choice(calls)
    [(name, arguments)] = call.items()
    match chance.randrange(6):
        case 0:
            return [*calls, call]
        case 1:
            call[name] = {**arguments, "nobody_asked": 1}
        case 2 if arguments:
            del arguments[chance.choice(list(arguments))]
        case 3:
            return [{f"{name}_": arguments} if each is call else each for each in calls]
        case _ if arguments:
            arguments[chance.choice(list(arguments))] = chance.choice(["other", 17, 1.5, True, [1]])
    return calls


def _agentevals() -> Iterator[Duel]:
    create = importlib.import_module(
        "agentevals.trajectory.match"
    ).create_trajectory_match_evaluator
    os.environ["LANGSMITH_TRACING"] = "false"
    cases = list(_trajectories(random.Random(_SEED), 1_000))
    for way in ("strict", "unordered", "subset", "superset"):
        evaluate = create(trajectory_match_mode=way)

        def check(case: Case, evaluate: Any = evaluate) -> float:
            return float(evaluate(**case)["score"])

        for mode in ("published", "corrected"):
            metric = _metric("trajectory_match", mode=mode, match=way)
            yield Duel(f"agentevals {way} ({mode})", 25, metric, cases, check)


def _trajectories(chance: random.Random, count: int) -> Iterator[Case]:
    for number in range(count):
        steps = [
            (chance.choice(["search", "get_weather"]), {"city": f"c{number % 50}", "n": n})
            for n in range(chance.choice([1, 1, 2, 3]))
        ]
        changed = [(name, {**arguments, "n": 9}) for name, arguments in steps]
        reference = chance.choice([steps, steps, steps[::-1], changed, steps[1:]])
        yield {"outputs": _conversation(steps), "reference_outputs": _conversation(reference)}


def _conversation(steps: Sequence[tuple[str, Case]]) -> list[Case]:
    messages: list[Case] = [{"role": "user", "content": "How is the weather?"}]
    for name, arguments in steps:
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": "call_1", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "call_1", "content": "sunny"})
    return [*messages, {"role": "assistant", "content": "It is sunny."}]


def _ragas() -> Iterator[Duel]:
    metrics = importlib.import_module("ragas.metrics")
    said = importlib.import_module("ragas.messages")
    sample = importlib.import_module("ragas.dataset_schema").MultiTurnSample
    accuracy, loop = metrics.ToolCallAccuracy(), asyncio.new_event_loop()
    cases = list(_ragas_cases(random.Random(_SEED), 1_000))
    kinds = {"human": said.HumanMessage, "ai": said.AIMessage, "tool": said.ToolMessage}
    samples = {
        id(case): sample(
            user_input=[kinds[each["type"]](**each) for each in case["user_input"]],
            reference_tool_calls=[said.ToolCall(**each) for each in case["reference_tool_calls"]],
        )
        for case in cases
    }

    def check(case: Case) -> float:
        return float(loop.run_until_complete(accuracy.multi_turn_ascore(samples[id(case)])))

    metric = _metric("ragas_tool_call_accuracy")
    yield Duel("ragas multi_turn_ascore", 15, metric, cases, check)
    loop.close()


def _ragas_cases(chance: random.Random, count: int) -> Iterator[Case]:
    for number in range(count):
        calls = [
            {"name": "get_price", "args": {"metal": "gold", "n": n}} for n in range(1 + number % 2)
        ]
        other = [{"name": "get_price", "args": {"metal": "gold", "n": 9}}]
        yield {
            "user_input": [
                {"type": "human", "content": "?"},
                {"type": "ai", "content": "", "tool_calls": calls},
                {"type": "tool", "content": "88.16"},
                {"type": "ai", "content": "It is 88.16."},
            ],
            "reference_tool_calls": chance.choice([calls, calls, other]),
        }


def _seconds(grade: Callable[[Case], Any], cases: Sequence[Case]) -> float:
    began = time.perf_counter()
    for case in cases:
        grade(case)
    return time.perf_counter() - began


def _fought(duel: Duel, rounds: int) -> list[str]:
    ours, theirs, ratios = [], [], []
    some = duel.cases[:200] if duel.goal > 10 else duel.cases
    grade: Callable[[Case], Verdict] = duel.metric.verdict_on  # type: ignore[attr-defined]
    differing = sum(
        abs(duel.rival(case) - (grade(case).value or 0.0)) > 1e-9 for case in duel.cases
    )
    for _ in range(rounds):
        theirs.append(_seconds(duel.rival, some) / len(some))
        ours.append(_seconds(grade, duel.cases) / len(duel.cases))
        ratios.append(theirs[-1] / ours[-1])
    return [
        duel.name,
        f"{len(duel.cases):,}",
        f"{1 / min(theirs):,.0f}",
        f"{1 / min(ours):,.0f}",
        f"{statistics.median(ratios):.1f}",
        f"{duel.goal:g}",
        f"{differing:,}",
    ]


def _whole_command(name: str, cases: Sequence[Case], rounds: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "cases.jsonl", Path(folder) / "verdicts.jsonl"
        many = [json.dumps(case) for case in cases] * (20_000 // len(cases))
        file.write_text("\n".join(many), "utf-8")
        command = [sys.executable, "-m", "studio", "grade", name, str(file), "--out", str(out)]
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            times.append(time.perf_counter() - began)
        rate = len(many) / statistics.median(times)
        return [name, f"{len(many):,}", f"{file.stat().st_size / len(many):,.0f}", f"{rate:,.0f}"]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    warnings.simplefilter("ignore")
    beside = Table("grader", "cases", "theirs/s", "ours/s", "ratio", "goal", "differ")
    for rivals in (_bfcl, _agentevals, _ragas):
        try:
            for duel in rivals():
                beside.add_row(*_fought(duel, rounds))
        except ImportError as error:
            beside.add_row(rivals.__name__.strip("_"), "", "", "", f"not measured: {error}")
    whole = Table("studio grade", "cases", "bytes a case", "cases/s")
    chance = random.Random(_SEED)
    whole.add_row(*_whole_command("trajectory_match", list(_trajectories(chance, 1_000)), rounds))
    whole.add_row(
        *_whole_command("ragas_tool_call_accuracy", list(_ragas_cases(chance, 1_000)), rounds)
    )
    with contextlib.suppress(ImportError):
        data = Path(importlib.import_module("bfcl_eval").__file__ or "").parent / "data"
        whole.add_row(*_whole_command("bfcl_ast", list(_bfcl_cases(data, "multiple")), rounds))
    console = Console()
    console.print(beside)
    console.print(whole)


if __name__ == "__main__":
    main()
