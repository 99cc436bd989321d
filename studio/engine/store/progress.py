"""The figures of a trial's row, folded from its events one by one.

They equal what `Trace` says of the same events, but need no list of them: memory grows neither
with the steps of a trial nor with its texts.
"""

from typing import assert_never

from studio.engine.events import (
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

RETRIED = "retried"
"""The mark of a trial that failed on another server before, by that one's fault."""

_NATIVE = "native"


class Progress:
    """How far a trial is.  `end` is its last event, None while it runs.

    `steps` counts the leaf steps, `marks` are the distinct remarks on replies and the origins of
    calls that were not native, in order of first appearance, after RETRIED if it was tried before.
    `server` is the one that is asked.
    """

    def __init__(self) -> None:
        self.end: TrialEnded | None = None
        self.server = ""
        self.steps = 0
        self.replies = 0
        self._prompt_tokens: int | None = 0
        self._reply_tokens: int | None = 0
        self._marks: dict[str, None] = {}
        # Steps that began and did not end, and whether another began inside.
        self._open: dict[str, bool] = {}

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens over all model calls so far; None where a server left one out."""
        return self._prompt_tokens if self.replies else None

    @property
    def reply_tokens(self) -> int | None:
        return self._reply_tokens if self.replies else None

    @property
    def marks(self) -> tuple[str, ...]:
        return tuple(self._marks)

    def add(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._begin(event)
            case StepEnded():
                self._open.pop(event.step, None)
            case ModelReplied():
                self._reply(event)
            case TrialEnded():
                self.end = event
            case TrialStarted():
                self.server = event.server
            case TrialRetried():
                self._marks[RETRIED] = None
            case ModelCalled() | ModelFailed() | ToolCalled() | ToolReturned():
                pass
            case _:
                assert_never(event)

    def _begin(self, event: StepStarted) -> None:
        self.steps += 1
        self._open[event.step] = False
        if event.parent is not None and self._open.get(event.parent) is False:
            self._open[event.parent] = True
            self.steps -= 1

    def _reply(self, event: ModelReplied) -> None:
        self.replies += 1
        self._prompt_tokens = _plus(self._prompt_tokens, event.prompt_tokens)
        self._reply_tokens = _plus(self._reply_tokens, event.reply_tokens)
        origins = (call.origin for call in event.calls if call.origin != _NATIVE)
        self._marks.update(dict.fromkeys((*event.marks, *origins)))


def _plus(total: int | None, count: int | None) -> int | None:
    return None if total is None or count is None else total + count
