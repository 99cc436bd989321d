"""Realistic values for the window's tests: a run of twenty metal-price queries, half of it done."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

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
    TrialRetried,
    TrialStarted,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Expected,
    ExpectedCall,
    JsonObject,
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
    Variant,
)
from studio.engine.server_facts import ServerFacts
from studio.engine.store.progress import RETRIED
from studio.engine.store.rows import RunRow, TrialRow

METALS = (
    "silver",
    "lead",
    "aluminium",
    "gold",
    "copper",
    "nickel",
    "zinc",
    "platinum",
    "palladium",
    "tin",
)
CURRENCIES = ("EUR", "GBP", "USD")
LOST = "http://lost:11434"
"""The server on which a trial was tried before."""

START = 1_790_000_000.0
PRICE = ToolSpec(
    "get_metal_price",
    "The price of one gram of a metal in USD.",
    {
        "type": "object",
        "properties": {"metal_name": {"type": "string"}},
        "required": ["metal_name"],
    },
)
EXCHANGE = ToolSpec(
    "get_currency_exchange",
    "How much one unit of `base` is in `target`.",
    {
        "type": "object",
        "properties": {"base": {"type": "string"}, "target": {"type": "string"}},
        "required": ["base", "target"],
    },
)
METRICS = (
    MetricSpec("tool_call_accuracy"),
    MetricSpec("ragas_tool_call_accuracy"),
    MetricSpec("answer_contains"),
    MetricSpec("steps"),
    MetricSpec("seconds"),
    MetricSpec("tokens"),
)


def project() -> Project:
    return Project(
        folder="/tmp/metal_prices",
        name="metal_prices",
        description="What metals cost, in three currencies",
        prompts=(Prompt("first", "Answer."), Prompt("refined", "Use the tools, then answer.")),
        tool_sets=(ToolSet("prices + exchange", (PRICE, EXCHANGE)), ToolSet("prices", (PRICE,))),
        models=(ModelSpec("smollm2:135m", "embedded"), ModelSpec("llama3.2:3b")),
        metrics=METRICS,
        default_prompt="refined",
        default_tool_set="prices + exchange",
        default_model="smollm2:135m",
    )


def queries(count: int = 20) -> tuple[Query, ...]:
    return tuple(_query(place) for place in range(count))


def _query(place: int) -> Query:
    metal = METALS[place % len(METALS)]
    currency = CURRENCIES[place // len(METALS) % 2]
    wording = (
        "How much is {} worth in {}?",
        "Price of {} in {}, please",
        "What does {} cost in {}?",
    )
    text = wording[place % 3].format(metal, currency)
    calls = (
        ExpectedCall(PRICE.name, {"metal_name": metal}),
        ExpectedCall(EXCHANGE.name, {"base": "USD", "target": currency}),
    )
    expected = Expected(calls=calls, contains=(metal, currency), number=0.0029 + place)
    return Query(f"q{place + 1:02}", text, expected)


def plan(count: int = 20, trials: int = 1) -> RunPlan:
    of = project()
    variant = Variant("refined", of.prompts[1], of.tool_sets[0], of.models[0])
    ids = tuple(query.id for query in queries(count))
    return RunPlan("metal_prices", variant, ids, METRICS, trials=trials)


def run(
    count: int = 20, trials: int = 1, *, tally: Tally | None = None, ending: str | None = None
) -> RunRow:
    of = plan(count, trials)
    facts = ServerFacts("http://127.0.0.1:40001", "0.30.1", is_embedded=True, context_length=8192)
    return RunRow(14, START, of, facts, tally or Tally(of.planned), None, ending)


def score_of(metric: str, value: float | None, reason: str = "") -> Score:
    return Score(metric, "1", value, reason)


def trial(place: int, *, number: int = 1) -> TrialRow:
    """A trial of the query at `place`: most good, some wrong, one timed out, one looped."""
    match place % 8:
        case 3:
            row = _ended(place, number, (0.5, 0.0, 0.0), steps=7, seconds=5.2)
            return replace(row, marks=("found in text",))
        case 6:
            row = _ended(place, number, (0.0, 0.0, 0.0), steps=7, seconds=19.3)
            return replace(row, marks=("repeated call",))
        case 7:
            row = replace(
                running(place, number=number), outcome=Outcome.TIMED_OUT, seconds=30.0,
                failure=FailureClass.TIME_OUT, reason="The trial took longer than 30 s.",
            )  # fmt: skip
            why = "the trial ran out of time"
            return replace(row, scores=tuple(score_of(each.name, None, why) for each in METRICS))
        case _:
            return _ended(place, number, (1.0, 1.0, 1.0), seconds=4.4 + place % 5)


def running(place: int, *, number: int = 1) -> TrialRow:
    query, row_id = _query(place), place * 10 + number
    return TrialRow(
        id=row_id, run=14, query_id=query.id, query=query.text, number=number, position=place,
        changed=row_id, started=START + place, steps=2,
    )  # fmt: skip


def _ended(
    place: int, number: int, shares: tuple[float, float, float], *, steps: int = 3, seconds: float
) -> TrialRow:
    prompt, reply = (2096, 124) if steps == 7 else (936, 62)
    figures = (*shares, float(steps), seconds, float(prompt + reply))
    scores = [score_of(each.name, value) for each, value in zip(METRICS, figures, strict=True)]
    return replace(
        running(place, number=number), outcome=Outcome.FINISHED, seconds=seconds, steps=steps,
        answer="One gram costs 0.0029 EUR.", prompt_tokens=prompt, reply_tokens=reply,
        scores=tuple(scores),
    )  # fmt: skip


def events(place: int = 6, cycles: int = 3, *, is_over: bool = True) -> list[Event]:
    """The model calls a tool `cycles` times (the second time as the first), then answers."""
    return list(_events(_query(place), cycles, is_over))


def events_of(row: TrialRow) -> list[Event]:
    """A trace that ends as the row says."""
    is_retried = RETRIED in row.marks
    cycles = 3 if row.marks and not is_retried else 1
    first, *rest = events(row.position, cycles)[:-1]
    assert isinstance(first, TrialStarted)
    tried = [TrialRetried(first.at, LOST, "The connection broke.")] if is_retried else []
    begun = [replace(first, server=row.server), *tried, *rest]
    end = TrialEnded(
        begun[-1].at, row.outcome or Outcome.FINISHED, row.answer, row.failure, row.reason,
        row.seconds or 0.0,
    )  # fmt: skip
    return [*begun, end]


def _events(query: Query, cycles: int, is_over: bool) -> Iterator[Event]:
    clock = START
    yield TrialStarted(clock, query.id, query.text, "refined", 1)
    yield StepStarted(clock, "root", None, "assistant", 0)
    messages: list[JsonObject] = [
        {"role": "system", "content": "Use the tools, then answer."},
        {"role": "user", "content": query.text},
    ]
    number = 0
    for cycle in range(cycles):
        name, arguments = _call(query, cycle)
        origin = "found in text" if cycle == 1 else "native"
        made = CallMade(f"c{cycle}", name, arguments, origin)
        number += 1
        yield from _asked(f"a{cycle}", number, clock, messages, (made,))
        clock += 2.1
        number += 1
        yield from _tool(f"t{cycle}", number, clock, made)
        clock += 0.003
        messages = [*messages, {"role": "tool", "content": "0.0031"}]
    if is_over:
        yield from _asked("last", number + 1, clock, messages, ())
        yield StepEnded(clock + 2.1, "root")
        yield TrialEnded(
            clock + 2.1, Outcome.FINISHED, "One gram costs 0.0029 EUR.", seconds=clock + 2.1 - START
        )


def _call(query: Query, cycle: int) -> tuple[str, JsonObject]:
    wanted = (query.expected.calls or ())[0]
    if cycle < 2:
        return wanted.name, wanted.arguments
    return "get_currency_rate", {"base": "USD", "target": "EUR", "cycle": cycle}


def _asked(
    step: str,
    number: int,
    clock: float,
    messages: Sequence[JsonObject],
    calls: tuple[CallMade, ...],
) -> Iterator[Event]:
    sent = {
        "model": "smollm2:135m", "messages": list(messages), "stream": True,
        "options": {"temperature": 0, "num_ctx": 8192},
        "tools": [{"type": "function", "function": {"name": each.name,
                   "parameters": each.parameters}} for each in (PRICE, EXCHANGE)],
    }  # fmt: skip
    text = "" if calls else "One gram costs 0.0029 EUR."
    if calls and calls[0].origin != "native":
        text = (
            'I need the price.\n{"name": "get_metal_price", "parameters": {"metal_name": "zinc"}}'
        )
    yield StepStarted(clock, step, "root", "agent", number)
    yield ModelCalled(clock, f"m-{step}", step, "smollm2:135m", sent)
    yield ModelReplied(
        clock + 2.1, f"m-{step}", step, text, calls=calls, done_reason="stop",
        prompt_tokens=412 + 28 * number, reply_tokens=31, seconds=2.1, load_seconds=0.2,
    )  # fmt: skip
    yield StepEnded(clock + 2.1, step)


def _tool(step: str, number: int, clock: float, made: CallMade) -> Iterator[Event]:
    is_known = made.name in {PRICE.name, EXCHANGE.name}
    content = "0.0031" if is_known else f"Error: there is no tool {made.name}."
    yield StepStarted(clock, step, "root", "tools", number)
    yield ToolCalled(clock, made.id, step, made.name, made.arguments, made.origin)
    yield ToolReturned(
        clock + 0.003, made.id, step, content, None if is_known else "unknown tool", seconds=0.003
    )
    yield StepEnded(clock + 0.003, step)
