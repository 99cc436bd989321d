"""One trial in a terminal, step by step: what was sent, thought, called and answered."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, assert_never

import msgspec
from rich.padding import Padding
from rich.text import Text

from studio.engine import plans
from studio.engine.errors import RunError
from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    StepEnded,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
    TrialRetried,
    TrialStarted,
)
from studio.engine.messages import Notice
from studio.engine.models.ollama import OllamaServer
from studio.engine.models.options import in_words
from studio.engine.models.rendering import rendered
from studio.engine.models.servers import Servers
from studio.engine.project.fields import did_you_mean
from studio.engine.records import JsonObject
from studio.engine.store.opening import runs_file
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import TrialRow
from studio.engine.trace import Trace
from studio.terminal_console import PlainConsole
from studio.terminal_text import visible
from studio.terminal_trials import list_trials

Line = tuple[str, str]
"""A text, and the style of it."""


class Wish(NamedTuple):
    """Which trial to show, the first one of the query if unsaid; without a query, all to list.

    With `is_rendered`, the last prompt is shown as the model reads it.
    """

    folder: Path
    run: int
    query: str | None = None
    trial: int | None = None
    is_rendered: bool = False
    as_json: bool = False


def trace(wish: Wish) -> int:
    """List the trials of a stored run, or show one of them.

    Raises StudioError if there is no such trial, or the server does not tell the prompt.
    """
    if wish.query is None:
        if wish.trial is not None or wish.is_rendered:
            raise RunError("--trial and --prompt are about one query.", "Name it behind the run.")
        return list_trials(wish.folder, wish.run, as_json=wish.as_json)
    if wish.as_json:
        raise RunError("--json lists the trials of a run.", "Leave the query out.")
    number = 1 if wish.trial is None else wish.trial
    return _show(wish.folder, wish.run, wish.query, number, is_rendered=wish.is_rendered)


def _show(folder: Path, run: int, query: str, number: int, *, is_rendered: bool) -> int:
    path = runs_file(folder.resolve())
    row, queries = plans.stored(path, run)
    with contextlib.closing(RunReader(path)) as reader:
        trial = _trial(reader.trials(run), query, number, [each.id for each in queries])
        trace = Trace(reader.events(trial.id))
    console = PlainConsole()
    console.print(Text(visible(trial.query), style="bold"))
    where = f" on {trial.server}" if trial.server else ""
    console.print(f"Trial {number} of run {run}{where}.", markup=False, highlight=False)
    for text, style in _told(trace.events):
        inside = len(text) - len(text.lstrip())
        shown = Text(visible(text.lstrip()), style=style)
        console.print(Padding(shown, (0, 0, 0, 2 + inside), expand=False))
    for score in trial.scores:
        value = "not scored" if score.value is None else f"{score.value:.6g}"
        told = f"{score.metric}: {value}{score.reason and f' – {score.reason}'}"
        console.print(visible(told), markup=False, highlight=False, soft_wrap=True)
    if is_rendered and trace.model_calls:
        sent = trace.model_calls[-1].sent
        console.print(Text("As the model reads it", style="bold"))
        prompt = asyncio.run(_rendered(trial.server or row.server.name, sent))
        console.print(visible(prompt), markup=False, highlight=False, soft_wrap=True)
    return 0


def _trial(trials: Iterator[TrialRow], query: str, number: int, known: Sequence[str]) -> TrialRow:
    found = next((each for each in trials if (each.query_id, each.number) == (query, number)), None)
    if found is None and query not in known:
        raise RunError(f"The run has no query {query!r}.", did_you_mean(query, known))
    if found is None:
        raise RunError(f"There is no trial {number} of {query}.", "Count from 1 with --trial.")
    return found


async def _rendered(server: str, sent: JsonObject) -> str:
    def tell(_notice: Notice) -> None:
        """Nothing that is told on the way is of interest here."""

    servers = Servers(tell)
    try:
        async with OllamaServer(await servers.address(server)) as asked:
            return await rendered(asked, sent)
    finally:
        await servers.close()


def _told(events: Sequence[Event]) -> Iterator[Line]:
    """Everything that happened; the options only where they are not those of the call before."""
    options: object = None
    for event in events:
        if isinstance(event, ModelCalled):
            before, options = options, event.sent.get("options")
            if options == before:
                continue
        yield from _lines(event)


def _lines(event: Event) -> Iterator[Line]:
    match event:
        case StepStarted(number=number, node=node):
            yield f"{number} {node}", "bold"
        case ModelCalled() | ModelReplied() | ModelFailed():
            yield from _of_model(event)
        case ToolCalled() | ToolReturned():
            yield from _of_tool(event)
        case TrialRetried(server=server, reason=reason):
            yield f"tried before on {server}: {reason}", "yellow"
        case TrialEnded():
            yield from _of_end(event)
        case TrialStarted() | StepEnded():
            pass
        case _:
            assert_never(event)


def _of_model(event: ModelCalled | ModelReplied | ModelFailed) -> Iterator[Line]:
    match event:
        case ModelCalled(sent=sent):
            yield f"  asked with {in_words(sent.get('options') or {})}", "dim"
        case ModelFailed(failure=failure, message=message):
            yield f"  {failure.value}: {message}", "red"
        case ModelReplied():
            if event.thinking.strip():
                yield f"  thought: {event.thinking.strip()}", "dim"
            if event.text.strip():
                yield f"  wrote: {event.text.strip()}", ""
            for made in event.calls:
                yield f"  calls {_call(made)}", ""
            yield f"  {', '.join(_figures(event))}", "dim"


def _figures(reply: ModelReplied) -> Iterator[str]:
    for name, tokens in (("prompt", reply.prompt_tokens), ("reply", reply.reply_tokens)):
        if tokens is not None:
            yield f"{name} {tokens:,} tokens"
    loading = "" if reply.load_seconds is None else f", {reply.load_seconds:.2f} s of it loading"
    yield f"{reply.seconds:.2f} s{loading}"
    yield from reply.marks


def _of_tool(event: ToolCalled | ToolReturned) -> Iterator[Line]:
    if isinstance(event, ToolCalled):
        yield f"  {event.name}({_json(event.arguments)})", ""
    elif event.error is not None:
        yield f"  → {event.error}: {event.content}", "red"
    else:
        yield f"  → {event.content}", ""


def _of_end(end: TrialEnded) -> Iterator[Line]:
    whose = f", counted as {end.failure.value}" if end.failure is not None else ""
    yield f"{end.outcome.value}{whose}, {end.seconds:.2f} s", "bold"
    if end.reason:
        yield end.reason, "red"
    if end.answer is not None:
        yield end.answer, ""


def _call(made: CallMade) -> str:
    found = "" if made.origin == "native" else f" ({made.origin})"
    return f"{made.name}({_json(made.arguments)}){found}"


def _json(arguments: JsonObject) -> str:
    written = ((name, msgspec.json.encode(value).decode()) for name, value in arguments.items())
    return ", ".join(f"{name}={value}" for name, value in written)
