"""A small real engine process: speaks the frames, keeps a project in memory, stores real runs.

`python -m tests.ui.fake_engine [--queries N] [--pause SECONDS] [--untrusted] [--refuse]
[--die-after TRIALS] [--scoring-pause SECONDS] [--garbage] [--deaf]`
"""

import argparse
import os
import sys
import threading
import time
from pathlib import Path

import msgspec

from studio.engine.errors import Problem
from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialStarted,
)
from studio.engine.messages import (
    Command,
    ContinueRun,
    DeletePrompt,
    DeleteQuery,
    EngineReady,
    Frames,
    Notice,
    OpenProject,
    Preparing,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    RenamePrompt,
    RunEnded,
    RunProgressed,
    RunStarted,
    SavePrompt,
    SaveQuery,
    SaveTool,
    Shutdown,
    StartRun,
    StopRun,
    Told,
    TrustNeeded,
    TrustProject,
    as_command,
    frame,
)
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Expected,
    ExpectedCall,
    MetricSpec,
    ModelSpec,
    Project,
    Prompt,
    Query,
    RunPlan,
    Score,
    Tally,
    ToolSet,
    ToolSpec,
)
from studio.engine.scoring_messages import SaveCriteria, ScoreAgain
from studio.engine.server_facts import ServerFacts
from studio.engine.store.writer import Store
from tests.ui.fake_desk import FakeDesk
from tests.ui.fake_lab import FakeLab

SERVER = ServerFacts("http://127.0.0.1:9", "0.30.1", is_embedded=False, context_length=8192)
METALS = ("silver", "lead", "aluminium", "gold", "copper", "nickel", "zinc", "platinum")
PRICE = ToolSpec(
    "get_metal_price",
    "The price of a metal in USD per gram.",
    {
        "type": "object",
        "properties": {"metal_name": {"type": "string", "description": "Such as zinc."}},
        "required": ["metal_name"],
    },
)
RATE = ToolSpec(
    "get_currency_exchange",
    "How much of the target currency one unit of the base currency is worth.",
    {
        "type": "object",
        "properties": {"base": {"type": "string"}, "target": {"type": "string"}},
        "required": ["base", "target"],
    },
    time_limit=5.0,
)


def project(folder: str) -> Project:
    return Project(
        folder=folder,
        name=Path(folder).name,
        description="Prices of metals in several currencies.",
        prompts=(
            Prompt("first", "You answer questions about metals."),
            Prompt(
                "refined",
                "You answer questions about metal prices.\n\nCall get_metal_price first, always.\n"
                "For a currency other than USD, call get_currency_exchange with base USD.\n"
                "Answer in one sentence that holds the number.",
            ),
        ),
        tool_sets=(
            ToolSet("prices and rates", (PRICE, RATE)),
            ToolSet("prices only", (PRICE,)),
        ),
        models=(ModelSpec("smollm2:135m", "embedded"), ModelSpec("llama3.2:3b")),
        metrics=(MetricSpec("tool_call_accuracy"), MetricSpec("steps"), MetricSpec("seconds")),
        default_prompt="refined",
        default_tool_set="prices and rates",
        default_model="smollm2:135m",
        has_code=True,
    )


def queries(number: int) -> list[Query]:
    made = []
    for place in range(number):
        metal, currency = METALS[place % 8], ("GBP", "EUR", "USD")[place % 3]
        calls = [ExpectedCall("get_metal_price", {"metal_name": metal})]
        if currency != "USD":
            calls.append(ExpectedCall("get_currency_exchange", {"base": "USD", "target": currency}))
        made.append(
            Query(
                f"q{place + 1}",
                f"How much is {metal} worth in {currency}?",
                Expected(tuple(calls), (metal,), 0.25 + place, currency),
                tags=("conversion",) if len(calls) == 2 else (),
            )
        )
    return made


class Engine:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.pipe = sys.stdout.buffer
        self.lock = threading.Lock()
        self.project: Project | None = None
        self.queries = queries(options.queries)
        self.is_trusted = not options.untrusted
        self.store: Store | None = None
        self.stopping = threading.Event()
        self.runner: threading.Thread | None = None
        self.desk = FakeDesk(self.say)
        self.lab = FakeLab(self.say, options.scoring_pause)

    def say(self, notice: Notice) -> None:
        with self.lock:
            self.pipe.write(frame(notice))
            self.pipe.flush()

    def read_commands(self) -> None:
        frames = Frames()
        while data := os.read(0, 65536):
            for body in frames.feed(data):
                command = as_command(body)
                if isinstance(command, Shutdown):
                    return
                self.take(command)

    def take(self, command: Command) -> None:
        match command:
            case OpenProject(folder=folder):
                self.open(folder)
            case TrustProject():
                self.is_trusted = True
            case StartRun(plan=plan):
                self.start(plan, None)
            case ContinueRun(run=run):
                self.start(None, run)
            case StopRun():
                self.stopping.set()
            case _ if self.desk.take(command) or self.take_of_metrics(command):
                pass
            case _:
                self.save(command)

    def take_of_metrics(self, command: Command) -> bool:
        if isinstance(command, ScoreAgain) and self.store is None:
            self.store = Store.open(self.runs_file.parent.parent)
        return self.lab.take(command, self.store, self.runs_file)

    def open(self, folder: str) -> None:
        if self.options.refuse:
            problems = (
                Problem("project.yaml", 3, "num_ctx is 12.", "Write 256 or more."),
                Problem("prompts", 0, "There is no prompt.", "Add prompts/first.md."),
            )
            self.say(ProjectRefused(folder, problems))
            return
        self.project = project(folder)
        self.tell_project()

    def tell_project(self) -> None:
        assert self.project is not None
        self.say(
            ProjectOpened(
                self.project,
                len(self.queries),
                self.is_trusted,
                str(self.runs_file),
                self.options.read_only,
            )
        )
        for first in range(0, len(self.queries), 2_000):
            self.say(QueriesRead(first, tuple(self.queries[first : first + 2_000])))

    @property
    def runs_file(self) -> Path:
        assert self.project is not None
        return Path(self.project.folder) / ".studio" / "runs.sqlite"

    def save_prompts(self, command: Command) -> None:
        assert self.project is not None
        old = self.project
        prompts = {prompt.name: prompt.text for prompt in old.prompts}
        default = old.default_prompt
        match command:
            case SavePrompt(name=name, text=text):
                prompts[name] = text
            case DeletePrompt(name=name) if name == default:
                self.say(Told("The default prompt cannot be deleted.", "Choose another first."))
                return
            case DeletePrompt(name=name):
                del prompts[name]
            case RenamePrompt(name=name, to=to):
                prompts[to] = prompts.pop(name)
                default = to if default == name else default
        kept = tuple(Prompt(name, text) for name, text in prompts.items())
        self.project = msgspec.structs.replace(old, prompts=kept, default_prompt=default)

    def save(self, command: Command) -> None:
        assert self.project is not None
        old = self.project
        match command:
            case SavePrompt() | DeletePrompt() | RenamePrompt():
                self.save_prompts(command)
            case SaveCriteria(criteria=criteria):
                metrics, passed = criteria.metrics, criteria.passed
                self.project = msgspec.structs.replace(old, metrics=metrics, passed=passed)
            case SaveTool(tool=tool):
                sets = tuple(
                    ToolSet(
                        each.name,
                        tuple(tool if one.name == tool.name else one for one in each.tools),
                    )
                    for each in old.tool_sets
                )
                self.project = msgspec.structs.replace(old, tool_sets=sets)
            case SaveQuery(query=query, replaces=replaces):
                ids = [each.id for each in self.queries]
                if replaces in ids:
                    self.queries[ids.index(replaces)] = query
                else:
                    self.queries.append(query)
            case DeleteQuery(id=id_):
                self.queries = [each for each in self.queries if each.id != id_]
        self.tell_project()

    def start(self, plan: RunPlan | None, run: int | None) -> None:
        assert self.project is not None
        if not self.is_trusted:
            self.say(TrustNeeded(self.project.folder, ("tools.py", "data/prices.csv")))
            return
        if self.store is None:
            self.store = Store.open(Path(self.project.folder))
        self.stopping.clear()
        self.runner = threading.Thread(target=self.run, args=(plan, run))
        self.runner.start()

    def run(self, plan: RunPlan | None, run: int | None) -> None:
        assert self.store is not None
        self.say(Preparing("Loading the model", 40, 100))
        by_id = {query.id: query for query in self.queries}
        if run is None:
            assert plan is not None
            run = self.store.create_run(plan, [SERVER], [by_id[each] for each in plan.query_ids])
            missing = [
                (id_, number, place)
                for place, id_ in enumerate(plan.query_ids)
                for number in range(1, plan.trials + 1)
            ]
        else:
            self.store.resume_run(run)
            missing = self.store.missing(run)
            plan = self._plan(run)
        self.store.committed().result()
        self.say(RunStarted(run, plan, (SERVER,)))
        done = plan.planned - len(missing)
        for id_, number, place in missing:
            if self.stopping.is_set():
                break
            self.say(RunProgressed(run, Tally(plan.planned, done), (id_,), (1.0, 4.0)))
            self.trial(run, by_id[id_], number, place)
            done += 1
            self.store.committed().result()
            self.say(RunProgressed(run, Tally(plan.planned, done)))
            if done == self.options.die_after:
                os.kill(os.getpid(), 9)
        ending = "stopped" if self.stopping.is_set() else "finished"
        self.store.end_run(run, ending)
        self.store.committed().result()
        self.say(RunEnded(run, ending, Tally(plan.planned, done)))

    def _plan(self, run: int) -> RunPlan:
        from studio.engine.store.reader import RunReader

        assert self.store is not None
        reader = RunReader(self.store.path)
        row = reader.run(run)
        reader.close()
        assert row is not None
        return row.plan

    def trial(self, run: int, query: Query, number: int, place: int) -> None:
        assert self.store is not None
        trial = self.store.begin_trial(run, query, number, place)
        for event in _events(query, number, place, self.options.pause):
            self.store.append(trial, event)
        right = place % 5 != 3
        self.store.add_scores(
            trial,
            [
                Score("tool_call_accuracy", "1", 1.0 if right else 0.5, "as expected"),
                Score("steps", "1", 3.0),
                Score("seconds", "1", None, "no clock"),
            ],
        )

    def close(self) -> None:
        self.stopping.set()
        self.desk.close()
        self.lab.close()
        if self.runner is not None:
            self.runner.join()
        if self.store is not None:
            self.store.close()


def _events(query: Query, number: int, place: int, pause: float) -> list[Event]:
    at = time.time()
    time.sleep(pause)
    calls = query.expected.calls or ()
    made: list[Event] = [
        TrialStarted(at, query.id, query.text, "fake", number),
        StepStarted(at, "s1", None, "agent", 1),
        ModelCalled(at, "m1", "s1", "fake", {"messages": [{"content": query.text}]}),
        ModelReplied(
            at + 0.5, "m1", "s1", "",
            calls=tuple(CallMade(f"c{n}", c.name, c.arguments) for n, c in enumerate(calls)),
            prompt_tokens=412, reply_tokens=31, seconds=0.5,
        ),
        StepEnded(at + 0.5, "s1"),
        StepStarted(at + 0.5, "s2", None, "tools", 2),
    ]  # fmt: skip
    for n, call in enumerate(calls):
        made += [
            ToolCalled(at + 0.5, f"c{n}", "s2", call.name, call.arguments),
            ToolReturned(at + 0.5, f"c{n}", "s2", "0.25", seconds=0.003),
        ]
    answer = f"It is worth {0.25 + place} {query.expected.unit}."
    return [
        *made,
        StepEnded(at + 0.51, "s2"),
        TrialEnded(at + 1, Outcome.FINISHED, answer, seconds=1.0 + place % 7),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--scoring-pause", type=float, default=0.0)
    parser.add_argument("--die-after", type=int, default=0)
    parser.add_argument("--read-only", default="")
    for flag in ("--untrusted", "--refuse", "--garbage", "--deaf"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    engine = Engine(options)
    if options.garbage:
        os.write(1, b"\x00\x00\x00\x04oops")
    if options.deaf:
        time.sleep(600)
    engine.say(EngineReady(os.getpid(), "0"))
    try:
        engine.read_commands()
    finally:
        engine.close()


if __name__ == "__main__":
    main()
