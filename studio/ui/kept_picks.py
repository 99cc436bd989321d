"""What was picked last in each project, kept over restarts."""

from msgspec.structs import asdict, replace

from studio.engine.records import Project
from studio.ui.remembered import Remembered
from studio.ui.state import Picks, first_picks

_KEY = "picks"


class KeptPicks:
    """Remembers the picks of a project by its folder."""

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered

    def of(self, project: Project) -> Picks:
        """Those last used, where they still exist; else the project's own."""
        kept = self._remembered.kept(_KEY).get(project.folder)
        return first_picks(project, kept if isinstance(kept, dict) else {})

    def keep(self, project: Project, picks: Picks) -> None:
        self._remembered.keep(_KEY, {project.folder: asdict(picks)})

    def renamed(self, project: Project, picks: Picks, kind: str, name: str, to: str) -> None:
        """A prompt or tool set gets another name: if picked, it is once that was read again."""
        if getattr(picks, kind) == name:
            self.keep(project, replace(picks, **{kind: to}))
