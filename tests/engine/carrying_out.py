"""Carries out one command of a project in a workbench of its own, as the terminal does."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.engine.messages import Notice, ProjectOpened, RunCommand, RunEnded, StartRun, Told
from studio.engine.records import RunPlan
from studio.engine.workbench import Workbench
from tests.engine.engine_process import plan_of

Make = Callable[[RunPlan], RunCommand]


def carry_out(
    folder: Path,
    make: Make = StartRun,
    ids: tuple[str, ...] = ("q0", "q1", "q2"),
    *,
    beside: Callable[[Workbench, Notice], None] = lambda _bench, _notice: None,
    **changes: Any,
) -> tuple[RunEnded, list[Told]]:
    """Open the project and carry out what `make` makes of its plan for the queries `ids`.

    `beside` hears every notice and may put commands in; `changes` are those of the plan.
    """

    async def work() -> tuple[RunEnded, list[Told]]:
        notices: asyncio.Queue[Notice] = asyncio.Queue()
        told: list[Told] = []
        async with Workbench(notices.put_nowait) as bench:
            await bench.open(folder)
            opened = await notices.get()
            assert isinstance(opened, ProjectOpened)
            bench.take(make(plan_of(opened.project, ids, **changes)))
            while not isinstance(notice := await notices.get(), RunEnded):
                beside(bench, notice)
                if isinstance(notice, Told):
                    told.append(notice)
            return notice, told

    return asyncio.run(work())
