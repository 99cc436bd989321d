"""The real engine process, spoken to over its pipe as the window does."""

import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from studio.engine.messages import (
    Command,
    EngineReady,
    Frames,
    Notice,
    OpenProject,
    ProjectOpened,
    ProjectRefused,
    QueriesRead,
    RunEnded,
    StartRun,
    as_notice,
    frame,
)
from studio.engine.project import variant
from studio.engine.records import Project, RunPlan

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "studio.engine.process")
_PATIENCE = 60.0
N = TypeVar("N")


class EngineProcess:
    """One engine process.  `seen` is everything that it said, in order."""

    def __init__(self, *, env: Mapping[str, str] | None = None, **how: Any) -> None:
        self.settings = (env or os.environ)["XDG_CONFIG_HOME"]
        self.seen: list[Notice] = []
        self._frames = Frames()
        self._arrived: list[Notice] = []
        self.process = subprocess.Popen(
            COMMAND, cwd=ROOT, env=os.environ | (env or {}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, **how,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, *commands: Command) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(frame, commands)))
        self.process.stdin.flush()

    def send_raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def notices(self, patience: float = _PATIENCE) -> Iterator[Notice]:
        """What it says, as it comes, until its end of the pipe closes."""
        assert self.process.stdout is not None
        pipe = self.process.stdout.fileno()
        deadline = time.monotonic() + patience
        while True:
            while self._arrived:
                notice = self._arrived.pop(0)
                self.seen.append(notice)
                yield notice
            left = deadline - time.monotonic()
            ready, _, _ = select.select([pipe], [], [], max(0.0, left))
            assert ready, f"nothing more was said; the last: {self.seen[-3:]}"
            data = os.read(pipe, 65_536)
            if not data:
                return
            self._arrived += map(as_notice, self._frames.feed(data))

    def until(self, kind: type[N], patience: float = _PATIENCE) -> N:
        """The next notice of that kind; the others are in `seen`."""
        for notice in self.notices(patience):
            if isinstance(notice, kind):
                return notice
        raise AssertionError(f"the engine ended without {kind.__name__}: {self.seen[-3:]}")

    def open(self, folder: Path) -> ProjectOpened:
        """Open a project and wait until all of it was told."""
        self.until(EngineReady)
        self.send(OpenProject(str(folder)))
        opened = self.until(ProjectOpened)
        read = 0
        while read < opened.query_count:
            part = self.until(QueriesRead)
            assert part.first == read, "the parts come in order"
            read += len(part.queries)
        return opened

    def run(self, plan: RunPlan) -> RunEnded:
        self.send(StartRun(plan))
        return self.until(RunEnded)

    def settle(self) -> None:
        """Read all that it had to say about what it was asked so far, and forget it."""
        nowhere = str(ROOT / "no" / secrets.token_hex(8))
        self.send(OpenProject(nowhere))
        while self.until(ProjectRefused).folder != nowhere:
            pass
        self.seen.clear()

    def kill(self) -> None:
        """End it as a crash would, in the middle of whatever it does."""
        self.process.send_signal(signal.SIGKILL)
        self.wait()

    def hang_up(self) -> None:
        """Close our ends of the pipe, as a window that crashed does."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()

    def wait(self, patience: float = _PATIENCE) -> int:
        return self.process.wait(patience)

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.hang_up()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def plan_of(project: Project, ids: Iterator[str] | tuple[str, ...], **changes: Any) -> RunPlan:
    """What the window would ask for: the project's own choices over these queries."""
    settings = {
        "trials": project.trials, "at_once": project.at_once, "time_limit": project.time_limit,
    } | changes  # fmt: skip
    return RunPlan(
        project=project.name,
        variant=variant(project),
        query_ids=tuple(ids),
        metrics=project.metrics,
        **settings,
    )
