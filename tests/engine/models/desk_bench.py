"""A desk on a loop of its own for tests: what it tells is kept, commands can go on beside."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from studio.engine.messages import Notice, Told
from studio.engine.model_messages import ModelCommand, ModelsFound, ProbeMoved, PullMoved
from studio.engine.models.desk import Desk, InUse
from studio.engine.models.servers import Servers

N = TypeVar("N", bound=Notice)


class Bench:
    """One desk.  `told` is everything that it told so far."""

    def __init__(self, in_use: InUse | None = None) -> None:
        self.told: list[Notice] = []
        self.in_use = in_use
        self.servers = Servers(self.told.append)
        self.desk = Desk(self.servers, self.told.append, lambda: self.in_use)

    async def do(self, *commands: ModelCommand) -> None:
        for command in commands:
            await self.desk.carry_out(command)

    def begin(self, command: ModelCommand) -> "asyncio.Task[None]":
        """Carry it out beside what follows."""
        return asyncio.create_task(self.desk.carry_out(command))

    async def until(self, holds: Callable[["Bench"], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds(self):  # noqa: ASYNC110 - what it holds is often another process' word
                await asyncio.sleep(0.005)

    def all(self, kind: type[N]) -> list[N]:
        return [notice for notice in self.told if isinstance(notice, kind)]

    def last(self, kind: type[N]) -> N:
        return self.all(kind)[-1]

    @property
    def found(self) -> ModelsFound:
        return self.last(ModelsFound)

    @property
    def pull(self) -> PullMoved:
        return self.last(PullMoved)

    @property
    def probe(self) -> ProbeMoved:
        return self.last(ProbeMoved)

    @property
    def error(self) -> Told:
        [error] = [each for each in self.all(Told) if each.is_error]
        return error


def at_desk(work: Callable[[Bench], Awaitable[Any]], in_use: InUse | None = None) -> Bench:
    """Do the work at a desk; the desk as it is then, its servers closed."""

    async def run() -> Bench:
        bench = Bench(in_use)
        try:
            await work(bench)
        finally:
            await bench.servers.close()
        return bench

    return asyncio.run(run())


def done(*commands: ModelCommand, in_use: InUse | None = None) -> Bench:
    """Carry these out one after another."""
    return at_desk(lambda bench: bench.do(*commands), in_use)
