"""The status bar: server, model, run and time left, at all times."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QSizePolicy, QStatusBar, QWidget

from studio.ui.text import count, time_left
from studio.ui.widgets.label import PlainLabel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studio.engine.server_facts import ServerFacts
    from studio.ui.state import State


class StatusBar(QStatusBar):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._dot = PlainLabel("●", "muted")
        self._server = PlainLabel("Starting…")
        self._server.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._run = PlainLabel()
        self.addWidget(self._dot)
        self.addWidget(self._server, 1)
        self.addPermanentWidget(self._run)

    def show_state(self, state: "State") -> None:
        self._dot.set_role({"ready": "good", "ended": "bad"}.get(state.engine, "muted"))
        self._server.setText(server_line(state))
        self._run.setText(run_line(state))


def server_line(state: "State") -> str:
    """What answers: engine, server, model and window (context length) in one line."""
    match state.engine:
        case "starting":
            return "Starting the engine…"
        case "ended":
            return "The engine is not running"
        case "closing":
            return "Closing…"
    parts: list[str] = []
    # Once a run is over, its row says more than what was told at its beginning.
    ended = state.run if state.live is None else None
    if servers := ended.servers if ended is not None else state.servers:
        parts += _server_parts(tuple(each for each in servers if each.took_part))
    if state.picks is not None:
        parts.append(state.picks.model)
    return " · ".join(parts) or "Ready"


def _server_parts(servers: "Sequence[ServerFacts]") -> "Iterator[str]":
    kinds = ("embedded model server" if each.is_embedded else f"Ollama {each.version}"
             for each in servers)  # fmt: skip
    named = ", ".join(dict.fromkeys(kinds))
    yield f"{len(servers)} servers ({named})" if len(servers) > 1 else named
    if lost := sum(bool(each.left_out) for each in servers):
        yield f"{lost} asked no more"
    windows = [each.window for each in servers if each.window]
    if windows:
        yield f"window {count(min(windows))}"
    elif servers and servers[0].context_length:
        yield f"trained for {count(servers[0].context_length)}"


def run_line(state: "State") -> str:
    """What runs, and how long it will; else what is shown."""
    if state.preparing is not None:
        done, total = state.preparing.done, state.preparing.total
        share = f" · {100 * done // total} %" if total else ""
        return f"{state.preparing.what}{share}"
    if state.is_stopping:
        return "Stopping…"
    if state.live is not None and state.tally is not None:
        tally = state.tally
        ended = tally.planned - tally.left
        line = f"Run {state.live} · {count(ended)} of {count(tally.planned)} trials"
        if state.at_once > 1:
            line = f"{line} · {state.at_once} at once"
        if state.spread > 1:
            line = (
                f"{line} on each of {state.spread} servers"
                if state.at_once > 1
                else (f"{line} · on {state.spread} servers")
            )
        left = "paused" if state.is_paused else time_left(state.seconds_left)
        return f"{line} · {left}" if left else line
    if state.is_starting:
        return "Starting the run…"
    return _standing_line(state)


def _standing_line(state: "State") -> str:
    """What goes on while nothing runs; else what is shown."""
    if state.scoring is not None:
        done, planned = state.scoring.done, state.scoring.planned
        return f"Scoring run {state.scoring.run} again · {count(done)} of {count(planned)} trials"
    parts = [f"Run {state.run.id}", state.ending_of(state.run)] if state.run else []
    parts += ["read only"] if state.read_only else []
    return " · ".join(parts)
