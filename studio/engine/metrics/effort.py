"""What a trial took: steps, messages, seconds, tokens.

Figures about effort say nothing about quality: an agent that does nothing needs least of all.
"""

from typing import ClassVar, Literal

from typing_extensions import override

from studio.engine.analysis.summary import Average
from studio.engine.metrics.base import Better, Metric, Verdict
from studio.engine.records import Query
from studio.engine.trace import Trace


class _Effort(Metric, frozen=True):
    better: ClassVar[Better] = "lower"
    highest: ClassVar[float | None] = None


class Steps(_Effort, frozen=True):
    """Number of leaf steps: node executions of the graph that hold no other step.

    Range 0 and up.  Scored for every trial that can be scored, also at the step cap.
    """

    name: ClassVar[str] = "steps"
    title: ClassVar[str] = "Steps"
    unit: ClassVar[str] = "steps"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        return Verdict(float(len(trace.steps)))


class Messages(_Effort, frozen=True):
    """The thesis's "number of reasoning steps": the length of its message list (section 2.3.1).

    Counted are the question, each reply of the model (once for each call in it) and each tool
    result, so these are messages, not thoughts, and parallel calls raise the figure.
    Range 1 and up.
    """

    name: ClassVar[str] = "messages"
    title: ClassVar[str] = "Messages"
    unit: ClassVar[str] = "messages"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        return Verdict(float(trace.message_count))


class Seconds(_Effort, frozen=True):
    """Wall-clock seconds of the trial, without waiting for a free place or loading the model.

    Depends on the machine and on what else it does: compare within one run.  Summaries show the
    median.  Not scored where it was not recorded.
    """

    name: ClassVar[str] = "seconds"
    title: ClassVar[str] = "Seconds"
    unit: ClassVar[str] = "s"
    average: ClassVar[Average] = "median"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        told = "" if trace.seconds is not None else "the time that it took was not recorded"
        return Verdict(trace.seconds, told)


class Tokens(_Effort, frozen=True):
    """Tokens over all model calls of the trial, as the server counted them.

    `count`: "total" (prompt and reply), "prompt" or "reply".  A prompt is counted again with
    every call.  Not scored if the server left a count out, or no model was called.
    """

    name: ClassVar[str] = "tokens"
    title: ClassVar[str] = "Tokens"
    unit: ClassVar[str] = "tokens"
    average: ClassVar[Average] = "median"

    count: Literal["total", "prompt", "reply"] = "total"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        prompt, reply = trace.tokens
        if not trace.replies:
            return Verdict(None, "no reply of a model was recorded")
        wanted = {"total": (prompt, reply), "prompt": (prompt,), "reply": (reply,)}[self.count]
        known = [count for count in wanted if count is not None]
        if len(known) < len(wanted):
            return Verdict(None, "the server did not report its token counts")
        return Verdict(float(sum(known)))
