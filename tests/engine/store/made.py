"""Runs, trials and traces as the agents make them, for the store's tests and benchmark."""

import random
from collections.abc import Iterator
from zlib import crc32

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
from studio.engine.outcomes import Outcome
from studio.engine.records import (
    JsonObject,
    MetricSpec,
    ModelSpec,
    Prompt,
    Query,
    RunPlan,
    Score,
    ToolSet,
    ToolSpec,
    Variant,
)
from studio.engine.server_facts import ServerFacts
from studio.engine.store.writer import Store

PROMPT = (
    "You answer questions about the prices of metals. Look every price and every exchange rate up"
    " with the tools that you are given and never state a value from memory. Make one call at a"
    " time, wait for what it returns, and then answer in one sentence that holds the number and"
    " its unit. If a tool reports an error, say so instead of making a value up."
)
TOOLS = (
    ToolSpec(
        name="metal_price",
        description="The price of a metal in US dollars per gram.",
        parameters={
            "type": "object",
            "properties": {
                "metal": {"type": "string", "description": "English name, in lower case."}
            },
            "required": ["metal"],
        },
    ),
    ToolSpec(
        name="exchange_rate",
        description="How many units of one currency a unit of another buys.",
        parameters={
            "type": "object",
            "properties": {"source": {"type": "string"}, "target": {"type": "string"}},
            "required": ["source", "target"],
        },
    ),
)
SERVER = ServerFacts(address="http://127.0.0.1:1", version="0.0.0", is_embedded=True)


def a_plan(queries: int = 3, trials: int = 1) -> RunPlan:
    return RunPlan(
        project="metal prices",
        variant=Variant(
            name="first",
            prompt=Prompt("first", PROMPT),
            tool_set=ToolSet("all", TOOLS),
            model=ModelSpec("smollm2:135m", options={"temperature": 0.0, "num_ctx": 4096}),
        ),
        query_ids=tuple(f"q{n}" for n in range(queries)),
        metrics=(MetricSpec("answer_contains"),),
        trials=trials,
    )


def a_query(position: int = 0) -> Query:
    metal = ("gold", "silver", "copper", "palladium")[position % 4]
    return Query(f"q{position}", f"What do {position} grams of {metal} cost in US dollars?")


class _World:
    """Times, ids and figures as they come in a real run: nothing that could be compressed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = 1.8e9 + self.chance.random() * 1e6

    def at(self) -> float:
        self.now += self.chance.random() / 100
        return self.now

    def id(self) -> str:
        digits = f"{self.chance.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _sent(messages: list[JsonObject]) -> JsonObject:
    return {
        "model": "smollm2:135m",
        "messages": messages,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in TOOLS
        ],
        "stream": True,
        "options": {"temperature": 0.0, "num_ctx": 4096},
        "keep_alive": "5m",
        "truncate": False,
        "shift": False,
    }


def a_trace(query: Query, number: int = 1, outcome: Outcome = Outcome.FINISHED) -> list[Event]:
    """One tool call, then an answer: 16 events, three leaf steps and the step around them.

    The same query and number give the same trace.
    """
    return list(_trace(query, number, outcome))


def _trace(query: Query, number: int, outcome: Outcome) -> Iterator[Event]:
    world = _World(crc32(f"{query.id} {number}".encode()))
    at, chance, started = world.at, world.chance, world.now
    whole, agent, tools, again = (world.id() for _ in range(4))
    call, arguments = world.id(), {"metal": query.text.split()[5]}
    answer = f"They cost {chance.random() * 90:.2f} US dollars."
    messages: list[JsonObject] = [
        {"role": "system", "content": PROMPT},
        {"role": "user", "content": query.text},
    ]
    yield TrialStarted(at(), query.id, query.text, "first", number)
    yield StepStarted(at(), whole, None, "assistant", 1)
    yield StepStarted(at(), agent, whole, "agent", 2)
    yield ModelCalled(at(), "m1", agent, "smollm2:135m", _sent(messages))
    made = CallMade(call, "metal_price", arguments)
    yield ModelReplied(
        at(), "m1", agent, "", calls=(made,), done_reason="stop",
        prompt_tokens=312, reply_tokens=chance.randint(15, 40), seconds=chance.random(),
    )  # fmt: skip
    yield StepEnded(at(), agent)
    yield StepStarted(at(), tools, whole, "tools", 3)
    yield ToolCalled(at(), call, tools, "metal_price", arguments)
    price = f"{chance.random() * 90:.2f}"
    yield ToolReturned(at(), call, tools, price, seconds=chance.random())
    yield StepEnded(at(), tools)
    yield StepStarted(at(), again, whole, "agent", 4)
    asked = {"function": {"name": "metal_price", "arguments": arguments}}
    messages = [
        *messages,
        {"role": "assistant", "content": "", "tool_calls": [asked]},
        {"role": "tool", "content": price, "tool_name": "metal_price"},
    ]
    yield ModelCalled(at(), "m2", again, "smollm2:135m", _sent(messages))
    yield ModelReplied(
        at(), "m2", again, answer, done_reason="stop",
        prompt_tokens=350, reply_tokens=chance.randint(10, 30), seconds=chance.random(),
    )  # fmt: skip
    yield StepEnded(at(), again)
    yield StepEnded(at(), whole)
    yield TrialEnded(at(), outcome, answer=answer, seconds=world.now - started)


def some_scores() -> tuple[Score, ...]:
    return (
        Score("answer_contains", "1", 1.0, "The answer holds what was expected."),
        Score("tool_call_accuracy", "1", None, "No call was expected."),
    )


def record(
    store: Store,
    run: int,
    position: int = 0,
    number: int = 1,
    outcome: Outcome = Outcome.FINISHED,
) -> int:
    """Record a whole trial with its scores; returns its id."""
    query = a_query(position)
    trial = store.begin_trial(run, query, number, position)
    for event in a_trace(query, number, outcome):
        store.append(trial, event)
    store.add_scores(trial, some_scores())
    return trial
