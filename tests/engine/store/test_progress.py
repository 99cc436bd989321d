"""The figures of a trial's row equal what its trace says."""

from hypothesis import given
from hypothesis import strategies as st

from studio.engine.events import (
    CallMade,
    Event,
    ModelReplied,
    StepEnded,
    StepStarted,
    TrialEnded,
    TrialStarted,
)
from studio.engine.outcomes import Outcome
from studio.engine.store.progress import Progress
from studio.engine.trace import Trace

TREES = st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=4), max_leaves=25)
REPLIES = st.lists(
    st.builds(
        ModelReplied,
        at=st.just(0.0),
        call=st.just("m"),
        step=st.just("s"),
        text=st.just(""),
        prompt_tokens=st.none() | st.integers(0, 10**30),
        reply_tokens=st.none() | st.integers(0, 100),
    ),
    max_size=4,
)


def _walk(tree: list[list[object]], name: str, parent: str | None) -> list[Event]:
    inside = [
        event
        for place, branch in enumerate(tree)
        for event in _walk(branch, f"{name}.{place}", name)  # type: ignore[arg-type]
    ]
    return [StepStarted(0.0, name, parent, "node", 1), *inside, StepEnded(0.0, name)]


@given(TREES, TREES, REPLIES, st.none() | st.sampled_from(Outcome))
def test_the_figures_are_those_of_the_trace(first, second, replies, outcome):
    events: list[Event] = [
        TrialStarted(0.0, "q", "?", "v", 1),
        *_walk(first, "a", None),
        *replies,
        *_walk(second, "b", "nobody"),
        *([TrialEnded(0.0, outcome)] if outcome else []),
    ]
    progress = Progress()
    for event in events:
        progress.add(event)
    trace = Trace(events)
    assert progress.steps == len(trace.steps)
    assert (progress.prompt_tokens, progress.reply_tokens) == trace.tokens
    assert progress.end == trace.end


def test_marks_and_origins_are_gathered_in_order_of_appearance():
    progress = Progress()
    calls = (CallMade("1", "a", {}, "repaired"), CallMade("2", "a", {}))
    progress.add(ModelReplied(0.0, "m", "s", "", marks=("invented a tool result",)))
    progress.add(ModelReplied(0.0, "m", "s", "", calls=calls))
    progress.add(ModelReplied(0.0, "m", "s", "", marks=("invented a tool result", "schema")))
    assert progress.marks == ("invented a tool result", "repaired", "schema")
