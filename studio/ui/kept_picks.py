"""What was picked last in each project, kept over restarts."""

from msgspec.structs import asdict

from studio.engine.records import Project
from studio.ui.remembered import Remembered
from studio.ui.state import Picks, first_picks

_KEY = "picks"


class KeptPicks:
    """Remembers the picks of a project by its folder."""

    def __init__(self, remembered: Remembered) -> None:
        self._remembered = remembered
        self._renames: dict[tuple[str, str, str], str] = {}

    def of(self, project: Project) -> Picks:
        """Those last used, where they still exist; else the project's own."""
        found = self._remembered.kept(_KEY).get(project.folder)
        kept = found if isinstance(found, dict) else {}
        picks = first_picks(project, kept)
        for rename, to in tuple(self._renames.items()):
            folder, kind, name = rename
            if folder == project.folder and kept.get(kind) == name != getattr(picks, kind):
                del self._renames[rename]  # a later one of the old name is another one
                kept = {**kept, kind: to}
                picks = first_picks(project, kept)
                self.keep(project, picks)
        return picks

    def keep(self, project: Project, picks: Picks) -> None:
        self._remembered.keep(_KEY, {project.folder: asdict(picks)})

    def renamed(self, project: Project, picks: Picks, kind: str, name: str, to: str) -> None:
        """A prompt or tool set gets another name, unless that is refused.

        If picked, it is under the new name once a project is read in which the old one is gone.
        """
        if getattr(picks, kind) == name:
            self.keep(project, picks)
            self._renames[project.folder, kind, name] = to
