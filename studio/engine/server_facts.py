"""What is known of a server that a run was to ask."""

from studio.engine.records import EMBEDDED, Record


class Absence(Record, frozen=True):
    """A time (Unix) in which a server of a run was gone; `until` is None if it did not come back.

    `version` is what it was when it came back, "" if that had not changed.
    """

    since: float
    until: float | None = None
    version: str = ""


class ServerFacts(Record, frozen=True):
    """A server of a run: recorded with the run, also if it took no part.

    `context_length` is what the model was trained for, `window` what the server really allocated
    for it, both in tokens; None where the server does not say.  Loading the model before the first
    trial took `load_seconds`.  `left_out` says why it was not asked, or (`took_part`) from some
    moment on asked no more; `absences` are the times in which it was gone.
    """

    address: str
    version: str
    is_embedded: bool
    model_digest: str = ""
    context_length: int | None = None
    capabilities: tuple[str, ...] | None = None
    window: int | None = None
    load_seconds: float | None = None
    left_out: str = ""
    took_part: bool = True
    absences: tuple[Absence, ...] = ()

    @property
    def name(self) -> str:
        """How it is named wherever a server is; the embedded one's address changes."""
        return EMBEDDED if self.is_embedded else self.address
