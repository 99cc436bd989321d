"""Turns what a graph does into events, in the order in which it happened.

LangGraph tells of its tasks through a stream whose reader lags behind the tasks themselves: a
node may have asked the model before the stream says that it began.  So a step begins when it is
first heard of, from whichever side: the place of a running node (its checkpoint namespace, such
as ``assistant:<task>|agent:<task>``) names it and everything around it.  In the same way a step has
ended once a node of a later superstep of its graph is heard of.
"""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig

from studio.engine.events import Event, StepEnded, StepStarted
from studio.engine.plain import plain_text


class StepCapReached(Exception):
    """One step more than the variant allows was about to begin."""


class Recorder:
    """The events of one trial: numbers the steps, nests them, and counts the leaves."""

    def __init__(
        self, emit: Callable[[Event], None], clock: Callable[[], float], step_cap: int
    ) -> None:
        self.emit = emit
        self.clock = clock
        self._step_cap = step_cap
        self._open: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._seen: set[str] = set()
        self._parents: set[str] = set()
        self._turns: dict[str, tuple[str | None, int]] = {}
        self._models = 0

    def step_of(self, config: RunnableConfig) -> str:
        """The step that runs with that config, begun if it was not heard of before.

        Raises StepCapReached instead of beginning a step too many.
        """
        place = config.get("configurable", {}).get("checkpoint_ns", "")
        turn = config.get("metadata", {}).get("langgraph_step", 0)
        return self._places.get(place) or self._enter(place, turn)

    def ended(self, step: str, error: Exception | None = None) -> None:
        """A node says itself that its step is over: exact, where the stream would lag."""
        if step in self._open:
            self._end(step, error)

    def next_model_call(self) -> str:
        """A new id for a model call, unique in the trial."""
        self._models += 1
        return f"m{self._models}"

    def told(self, namespace: tuple[str, ...], task: Mapping[str, Any]) -> None:
        """Take one item of LangGraph's `tasks` stream: a task that begins or that ended."""
        step = task["id"]
        if "triggers" in task:
            self._start(step, _parent(namespace), task["name"])
        elif step in self._open:
            self._end(step, task["error"])

    def close(self, why: str) -> None:
        """End the steps that are still open, the innermost first."""
        for step in reversed(list(self._open)):
            self._end(step, why)

    def _enter(self, place: str, turn: int) -> str:
        *around, last = place.split("|")
        parent = None
        for part in around:
            node, _, task = part.partition(":")
            # A subgraph with checkpoints of its own has no task in its place.
            if task:
                self._start(task, parent, node)
                parent = task
        node, _, step = last.partition(":")
        if step:
            self._end_before(parent, turn)
            self._start(step, parent, node)
            self._turns[step] = (parent, turn)
        step = step or parent or next(reversed(self._open), "")
        self._places[place] = step
        return step

    def _end_before(self, parent: str | None, turn: int) -> None:
        for step in list(self._open):
            around, began = self._turns.get(step, (None, turn))
            if around == parent and began < turn:
                self._end(step, None)

    def _start(self, step: str, parent: str | None, node: str) -> None:
        if step in self._seen:
            return
        if parent is not None:
            self._parents.add(parent)
        if len(self._seen) - len(self._parents) >= self._step_cap:
            raise StepCapReached
        self._seen.add(step)
        self._open[step] = node
        number = len(self._seen)
        self.emit(StepStarted(self.clock(), step, parent, plain_text(node, 200), number))

    def _end(self, step: str, error: object) -> None:
        del self._open[step]
        told = None if error is None else plain_text(str(error) or type(error).__name__, 2_000)
        self.emit(StepEnded(self.clock(), step, told))


def _parent(namespace: tuple[str, ...]) -> str | None:
    tasks = (part.partition(":")[2] for part in reversed(namespace))
    return next((task for task in tasks if task), None)
