"""What the session tells the window: signals that carry frozen values."""

from PySide6.QtCore import QObject, Signal


class Telling(QObject):
    """The signals of the session, which alone emits them."""

    state_changed = Signal()
    """`state` is another one.  Emitted before the finer signals below."""

    project_changed = Signal(object)
    """Another project, or the same one read again: Project or None."""

    queries_changed = Signal()
    """`queries` is another tuple."""

    run_changed = Signal(object)
    """Another run is shown, or the shown one ended (then with the same id): RunRow or None.

    None comes before a run whose trials all follow anew: what is shown of the old one goes away.
    Then `state.run` is that run already; it is None only where no run follows.
    """

    trials_changed = Signal(object)
    """More of the shown run: a tuple of TrialRow, each replacing the row with the same id."""

    tally_changed = Signal(object, object)
    """How far the live run is: Tally, and the seconds left as (low, high) or None."""

    trial_wanted = Signal(object)
    """Somebody wants to see this trial of the shown run on the Evaluate page: its place."""

    told = Signal(object)
    """Something for the user to know: Told."""

    trust_needed = Signal(object)
    """The project's code would run, and nobody allowed it yet: TrustNeeded."""

    engine_died = Signal(str)
    """How the engine process ended, in words; `continue_work` starts it again.

    Emitted again for every command that would need an engine.
    """

    closed = Signal()
    """The engine has ended after `close`; nothing is left running."""
