"""The trace of one trial as it lies in the store: what the tree and the details read from."""

from typing import Protocol

from studio.engine.events import Event, ModelCalled, ModelFailed, ModelReplied
from studio.ui.models.detail import Read
from studio.ui.models.outline import Kind, Outline, Row


class Reader(Protocol):
    """The part of the store's reader that traces are read by.  May raise StoreError."""

    def event_count(self, trial: int) -> int: ...

    def events(self, trial: int, first: int = 0, limit: int | None = None) -> list[Event]: ...


class StoredTrace:
    """One trial's events, by their position from 0."""

    def __init__(self, reader: Reader, trial: int) -> None:
        self._reader = reader
        self.trial = trial

    def count(self) -> int:
        return self._reader.event_count(self.trial)

    def events(self, first: int, limit: int) -> list[Event]:
        return self._reader.events(self.trial, first, limit)

    def event(self, position: int | None) -> Event | None:
        """The event at a position; None where there is none (yet)."""
        found = [] if position is None else self._reader.events(self.trial, position, 1)
        return found[0] if found else None

    def read(self, outline: Outline, number: int) -> Read:
        """The events of a row, and of the model call that led to it."""
        row = outline.rows[number]
        began, ended = self.event(row.first), self.event(row.last)
        call = row if row.kind is Kind.MODEL else _model_call_before(outline, number)
        asked = self.event(call.first) if call is not None else None
        replied = self.event(call.last) if call is not None else None
        return Read(
            began,
            ended,
            asked if isinstance(asked, ModelCalled) else None,
            replied if isinstance(replied, ModelReplied | ModelFailed) else None,
        )


def _model_call_before(outline: Outline, number: int) -> Row | None:
    """The last model call before a row, of the same stretch of the trace."""
    stretch = outline.rows[number].stretch
    for before in range(number - 1, 0, -1):
        row = outline.rows[before]
        if row.stretch != stretch:
            return None
        if row.kind is Kind.MODEL:
            return row
    return None
