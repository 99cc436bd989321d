"""What is read about one row of a trace, to the letter."""

from collections.abc import Sequence

from studio.engine.events import (
    CallMade,
    Event,
    ModelCalled,
    ModelFailed,
    ModelReplied,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TrialEnded,
)
from studio.engine.outcomes import FailureClass, Outcome
from studio.engine.records import (
    Expected,
    Query,
)
from studio.ui.models import detail
from studio.ui.models.detail import Passages, Read
from studio.ui.models.measures import measures
from studio.ui.models.outline import ROOT, Kind, Outline
from studio.ui.models.stepping import subject
from studio.ui.models.stored import StoredTrace
from tests.ui import builders


class Shelf:
    """A reader over events in memory."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = list(events)

    def event_count(self, trial: int) -> int:
        return len(self._events)

    def events(self, trial: int, first: int = 0, limit: int | None = None) -> list[Event]:
        return self._events[first : None if limit is None else first + limit]


def text(passages: Passages) -> str:
    return "".join(passage.text for passage in passages)


def read(events: Sequence[Event], kind: Kind, place: int = 0) -> Read:
    """The events of the `place`-th row of a kind."""
    outline = Outline()
    outline.feed(ROOT, 0, events)
    found = [number for number, row in enumerate(outline.rows) if row.kind is kind and number]
    return StoredTrace(Shelf(events), 1).read(outline, subject(outline, found[place]))


def test_a_tool_call_tells_arguments_result_and_that_they_fit_the_schema():
    told = text(detail.call(read(builders.events(), Kind.TOOL)))
    assert told == (
        'get_metal_price   valid against the schema\n  metal_name  "zinc"\n\n── result ──\n0.0031\n'
    )


def test_an_unknown_tool_is_told_as_such():
    told = text(detail.call(read(builders.events(), Kind.TOOL, 2)))
    assert "get_currency_rate   not in the tool set\n" in told
    assert "── result ──\nunknown tool\n" in told


def test_a_call_that_has_not_returned_has_no_verdict():
    read_ = Read(ToolCalled(1, "c", "s", "add", {"a": 1}))
    assert text(detail.call(read_)) == "add\n  a  1\n\nno result yet\n"


def test_what_was_sent_is_shown_message_by_message_and_field_by_field():
    call = read(builders.events(), Kind.MODEL)
    assert call.asked is not None
    told = text(detail.sent(call.asked))
    assert "── 1 · system ──\nUse the tools, then answer.\n" in told
    assert "── 2 · user ──\nHow much is zinc worth in EUR?\n" in told
    assert "── tools (2) ──" in told
    assert '"num_ctx": 8192' in told


def test_a_message_that_is_none_is_shown_as_it_is():
    asked = ModelCalled(1, "m", "s", "model", {"messages": ["odd", {"content": ["a"]}], "tools": 3})
    told = text(detail.sent(asked))
    assert '"odd"\n' in told
    assert '── 2 · ? ──\n["a"]\n' in told
    assert "── tools ──\n3\n" in told


def test_the_raw_reply_is_what_the_model_wrote_and_what_was_made_of_it():
    reply = ModelReplied(
        1, "m", "s", " <b>42</b>\n", thinking="hm",
        calls=(CallMade("c", "add", {}, "repaired"),), marks=("invented a tool result",),
    )  # fmt: skip
    assert text(detail.raw_reply(reply)) == (" <b>42</b>\n\ninvented a tool result\nrepaired\n")
    assert "thought first" in text(detail.call(Read(reply, None, None, reply)))


def test_a_failed_call_shows_what_the_server_said():
    failed = ModelFailed(1, "m", "s", FailureClass.SERVER, "no answer", raw='{"error": "gone"}')
    assert text(detail.raw_reply(failed)) == 'no answer\n{"error": "gone"}'
    assert text(detail.call(Read(failed, None, None, failed))) == "server\nno answer\n"


def test_a_tool_call_leads_to_the_model_call_that_asked_for_it():
    events = builders.events()
    call = read(events, Kind.TOOL, 1)
    assert isinstance(call.replied, ModelReplied)
    assert call.replied.calls[0].id == "c1"


def test_a_result_and_a_leaf_step_stand_for_their_call():
    events = builders.events()
    assert read(events, Kind.RESULT) == read(events, Kind.TOOL)
    assert read(events, Kind.STEP, 1) == read(events, Kind.MODEL)


def test_a_step_that_holds_steps_tells_of_itself():
    told = text(detail.call(read(builders.events(), Kind.STEP)))
    assert told == "assistant   step 0\n"


def test_a_trial_without_an_answer_says_why():
    end = TrialEnded(1, Outcome.TIMED_OUT, None, FailureClass.TIME_OUT, "It took 30 s.")
    assert text(detail.call(Read(end))) == (
        "timed out: It took 30 s.\ncounted as: time-out\nThe agent gave no answer.\n"
    )


def test_what_is_expected_stands_beside_what_was_called():
    query = Query("q", "?", Expected(calls=(), contains=("EUR",), number=3.5, unit="kg"))
    assert text(detail.expected(query, ["add(a=1)"])) == (
        "── expected calls ──\nnone\n── calls made ──\n1  add(a=1)\n"
        '── expected in the answer ──\n"EUR"\n── expected number ──\n3.5 kg\n'
    )
    assert detail.expected(Query("q", "?"), ["add(a=1)"]) == []
    assert detail.expected(None, []) == []


def test_every_metric_has_a_line_scored_or_not():
    told = text(detail.scores(builders.trial(7), measures(builders.METRICS)))
    assert told.count("not scored\n  the trial ran out of time\n") == len(builders.METRICS)
    running = text(detail.scores(builders.running(0), measures(builders.METRICS)))
    assert running.count("not scored yet") == len(builders.METRICS)
    done = text(detail.scores(builders.trial(3), measures(builders.METRICS)))
    assert "Tool-call accuracy   0.50\n" in done
    assert "Seconds   5.2 s\n" in done


def test_times_name_what_the_server_left_out():
    reply = ModelReplied(2, "m", "s", "hi", prompt_tokens=12, seconds=2.5)
    asked = ModelCalled(builders.START + 1, "m", "s", "model", {})
    told = text(detail.times(Read(asked, reply, asked, reply), builders.running(0)))
    assert "1.000 s into the trial" in told
    assert "model took      2.5 s\n" in told
    assert "prompt          12 tokens\n" in told
    assert "reply           not told by the server\n" in told


def test_a_row_without_events_asks_for_a_choice():
    assert text(detail.call(Read())) == "Choose a step to see what it did."
    assert text(detail.sent(None)) == "No model was asked in this step."
    assert text(detail.raw_reply(None)) == "No model replied in this step."


def test_an_orphan_result_is_shown():
    returned = ToolReturned(1, "c", "s", "12", None, "debug line")
    assert text(detail.call(Read(returned, returned))) == (
        "── result ──\n12\n── printed ──\ndebug line\n"
    )
    assert text(detail.call(Read(StepStarted(1, "s", None, "tools", 4)))) == "tools   step 4\n"
