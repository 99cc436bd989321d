"""What there is to read about one row of a trace, as passages of plain text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

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
)
from studio.engine.models.options import in_words
from studio.engine.records import ExpectedCall, JsonObject, Query
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure
from studio.ui.models.outline import call_text
from studio.ui.models.server_names import server_name
from studio.ui.models.tone import Tone
from studio.ui.text import count, moment, seconds


class Passage(NamedTuple):
    """Text in one tone.  Passages follow one another without a break of their own."""

    text: str
    tone: Tone = Tone.TEXT


class Read(NamedTuple):
    """The events of a row, and of the model call that led to it (the same, for a model call)."""

    began: Event | None = None
    ended: Event | None = None
    asked: ModelCalled | None = None
    replied: ModelReplied | ModelFailed | None = None


Passages = list[Passage]
_ARGUMENT_FAULTS = {
    "unknown tool": ("not in the tool set", Tone.BAD),
    "bad arguments": ("not valid against the schema", Tone.BAD),
}


def nothing(why: str) -> Passages:
    return [Passage(why, Tone.MUTED)]


def call(read: Read) -> Passages:
    """The heart of a row: a call and its result, a reply, an answer, a step."""
    match read.began:
        case ToolCalled() as called:
            return _tool_call(called, read.ended)
        case ToolReturned() as returned:
            return _result(returned)
        case ModelCalled() | ModelReplied() | ModelFailed():
            return _model_call(read.replied)
        case TrialEnded() as end:
            return _end(end)
        case TrialRetried() as retried:
            return _retried(retried)
        case StepStarted() as step:
            return _step(step, read.ended)
        case _:
            return nothing("Choose a step to see what it did.")


def _tool_call(called: ToolCalled, returned: Event | None) -> Passages:
    passages = [Passage(called.name)]
    returned = returned if isinstance(returned, ToolReturned) else None
    error = returned.error if returned else None
    told, tone = _ARGUMENT_FAULTS.get(error or "", ("valid against the schema", Tone.GOOD))
    if returned is not None:
        passages.append(Passage(f"   {told}", tone))
    if called.origin != "native":
        passages.append(Passage(f"   {called.origin}", Tone.MARK))
    passages.append(Passage("\n"))
    passages += _arguments(called.arguments)
    passages.append(Passage("\n"))
    return passages + (_result(returned) if returned else nothing("no result yet\n"))


def _arguments(arguments: JsonObject) -> Passages:
    if not arguments:
        return nothing("  no arguments\n")
    width = min(24, max(len(name) for name in arguments))
    passages = []
    for name, value in arguments.items():
        passages.append(Passage(f"  {name:<{width}}  ", Tone.MUTED))
        passages.append(Passage(f"{json_text(value)}\n"))
    return passages


def _result(returned: ToolReturned) -> Passages:
    passages = heading("result")
    if returned.error is not None:
        passages.append(Passage(f"{returned.error}\n", Tone.BAD))
    tone = Tone.TEXT if returned.error is None else Tone.BAD
    passages.append(Passage(f"{returned.content}\n", tone))
    if returned.printed:
        passages += [*heading("printed"), Passage(f"{returned.printed}\n")]
    return passages


def _model_call(reply: ModelReplied | ModelFailed | None) -> Passages:
    if reply is None:
        return nothing("The model has not replied yet.\n")
    if isinstance(reply, ModelFailed):
        return [Passage(f"{reply.failure.value}\n", Tone.BAD), Passage(f"{reply.message}\n")]
    passages = [Passage(f"{mark}\n", Tone.MARK) for mark in reply.marks]
    if reply.thinking.strip():
        passages.append(Passage("thought first (see Thought)\n", Tone.MUTED))
    for made in reply.calls:
        passages += _made(made)
    if not reply.calls:
        passages += [*heading("reply"), Passage(f"{reply.text}\n")]
    return passages


def _made(made: CallMade) -> Passages:
    passages = [Passage(made.name)]
    if made.origin != "native":
        passages.append(Passage(f"   {made.origin}", Tone.MARK))
    return [*passages, Passage("\n"), *_arguments(made.arguments)]


def _end(end: TrialEnded) -> Passages:
    passages = []
    if end.reason:
        passages.append(Passage(f"{end.outcome.value}: {end.reason}\n", Tone.BAD))
    if end.failure is not None:
        passages.append(Passage(f"counted as: {end.failure.value}\n", Tone.MUTED))
    if end.answer is None:
        return [*passages, *nothing("The agent gave no answer.\n")]
    return [*passages, *heading("answer"), Passage(f"{end.answer}\n")]


def _retried(retried: TrialRetried) -> Passages:
    return [
        Passage(f"tried before on {retried.server}\n"),
        Passage(f"{retried.reason}\n", Tone.BAD),
        Passage("What came of that counts nowhere; this is the trial that does.\n", Tone.MUTED),
    ]


def _step(step: StepStarted, ended: Event | None) -> Passages:
    passages = [Passage(step.node), Passage(f"   step {step.number}\n", Tone.MUTED)]
    if isinstance(ended, StepEnded) and ended.error is not None:
        passages += [*heading("error"), Passage(f"{ended.error}\n", Tone.BAD)]
    return passages


def expected(query: Query | None, made: Sequence[str]) -> Passages:
    """What a good run of the query does, beside the calls that were made."""
    if query is None:
        return []
    wanted = query.expected
    passages: Passages = []
    if wanted.calls is not None:
        passages += heading("expected calls")
        passages += _calls(_expected_text(each) for each in wanted.calls)
        passages += heading("calls made")
        passages += _calls(made)
    if wanted.contains is not None:
        texts = ", ".join(map(json_text, wanted.contains))
        passages += [*heading("expected in the answer"), Passage(f"{texts}\n")]
    if wanted.number is not None:
        number = f"{wanted.number:.12g} {wanted.unit or ''}".rstrip()
        passages += [*heading("expected number"), Passage(f"{number}\n")]
    return passages


def _expected_text(each: ExpectedCall) -> str:
    return call_text(each.name, each.arguments)


def _calls(lines: Iterable[str]) -> Passages:
    shown = [Passage(f"{place}  {line}\n") for place, line in enumerate(lines, 1)]
    return shown or nothing("none\n")


def sent(asked: ModelCalled | None) -> Passages:
    """The request as it went over the wire: the messages one by one, then all other fields."""
    if asked is None:
        return nothing("No model was asked in this step.")
    body = dict(asked.sent)
    messages = body.pop("messages", None)
    tools = body.pop("tools", None)
    passages: Passages = []
    for place, message in enumerate(messages or (), 1):
        passages += _message(place, message)
    if tools:
        amount = f" ({len(tools)})" if isinstance(tools, list | tuple) else ""
        passages += [*heading(f"tools{amount}"), Passage(f"{json_text(tools, 2)}\n")]
    return [*passages, *heading("request"), Passage(f"{json_text(body, 2)}\n")]


def _message(place: int, message: Any) -> Passages:
    if not isinstance(message, Mapping):
        return [Passage(f"{json_text(message)}\n")]
    rest = {name: value for name, value in message.items() if name not in {"role", "content"}}
    passages = heading(f"{place} · {message.get('role', '?')}")
    content = message.get("content")
    if content:
        passages.append(Passage(f"{content if isinstance(content, str) else json_text(content)}\n"))
    if rest:
        passages.append(Passage(f"{json_text(rest, 2)}\n", Tone.MUTED))
    return passages


def raw_reply(replied: ModelReplied | ModelFailed | None) -> Passages:
    """What the model wrote, to the letter."""
    match replied:
        case ModelReplied():
            passages: Passages = []
            text = Passage(replied.text) if replied.text else Passage("no text", Tone.MUTED)
            passages += [text, Passage("\n")]
            origins = {made.origin for made in replied.calls} - {"native"}
            remarks = [*replied.marks, *sorted(origins)]
            return passages + [Passage(f"{mark}\n", Tone.MARK) for mark in remarks]
        case ModelFailed():
            return [Passage(f"{replied.message}\n", Tone.BAD), Passage(replied.raw)]
        case None:
            return nothing("No model replied in this step.")


def scores(trial: TrialRow, measures: Sequence[Measure]) -> Passages:
    """Every metric's verdict on the trial, the missing ones too."""
    by_key = {each.metric: each for each in trial.scores}
    passages: Passages = []
    for measure in measures:
        found = by_key.get(measure.key)
        passages.append(Passage(f"{measure.label}   "))
        if found is None:
            passages.append(Passage("not scored yet\n", Tone.MUTED))
        elif found.value is None:
            passages.append(Passage("not scored\n", Tone.MARK))
            passages.append(Passage(f"  {found.reason}\n", Tone.MUTED))
        else:
            tone = Tone.TEXT
            if measure.is_share:
                tone = Tone.GOOD if found.value >= 1 else Tone.BAD
            passages.append(Passage(f"{_figure(found.value, measure)}\n", tone))
            passages.append(Passage(f"  {found.reason}\n" if found.reason else "", Tone.MUTED))
        if found is not None:
            passages.append(Passage(f"  version {found.version}\n", Tone.MUTED))
    return passages or nothing("This run has no metrics.")


def _figure(value: float, measure: Measure) -> str:
    if measure.unit == "s":
        return seconds(value)
    return f"{value:.2f}" if measure.is_share else f"{value:,.6g} {measure.unit}".rstrip()


def times(read: Read, trial: TrialRow) -> Passages:
    """When and how long, and how many tokens."""
    began, reply = read.began, read.replied
    lines: list[tuple[str, str]] = []
    if began is not None:
        lines.append(
            ("began", f"{moment(began.at)}, {began.at - trial.started:.3f} s into the trial")
        )
    if isinstance(read.ended, ToolReturned):
        lines.append(("tool took", seconds(read.ended.seconds)))
    elif isinstance(read.ended, StepEnded) and began is not None:
        lines.append(("step took", seconds(read.ended.at - began.at)))
    if reply is not None:
        lines.append(("model took", seconds(reply.seconds)))
    if isinstance(reply, ModelReplied):
        lines += _reply_figures(reply)
    lines.append(("trial took", seconds(trial.seconds)))
    if trial.server:
        lines.append(("server", server_name(trial.server)))
    if read.asked is not None and (options := read.asked.sent.get("options")):
        lines.append(("options", in_words(options)))
    width = max(len(name) for name, _ in lines)
    return [
        Passage(text, tone)
        for name, value in lines
        for text, tone in ((f"{name:<{width}}   ", Tone.MUTED), (f"{value}\n", Tone.TEXT))
    ]


def _reply_figures(reply: ModelReplied) -> list[tuple[str, str]]:
    lines = []
    if reply.load_seconds is not None:
        lines.append(("of it loading", seconds(reply.load_seconds)))
    for name, tokens in (("prompt", reply.prompt_tokens), ("reply", reply.reply_tokens)):
        told = "not told by the server" if tokens is None else f"{count(tokens)} tokens"
        lines.append((name, told))
    lines.append(("ended because", reply.done_reason or "not told by the server"))
    return lines


def heading(text: str) -> Passages:
    return [Passage(f"── {text} ──\n", Tone.MUTED)]


def json_text(value: Any, indent: int = 0) -> str:
    """A value as JSON, characters beyond ASCII as they are."""
    data = msgspec.json.encode(value)
    return (msgspec.json.format(data, indent=indent) if indent else data).decode()
