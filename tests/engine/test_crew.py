import asyncio

import pytest

from studio.engine.crew import Crew


class Work:
    """Takes items one at a time; `go` lets that many of them come to their end."""

    def __init__(self):
        self.begun = []
        self.done = []
        self.most = 0
        self.gate = asyncio.Semaphore(0)
        self.moved = asyncio.Condition()

    async def __call__(self, items):
        async for item in items:
            await self.note(self.begun, item)
            self.most = max(self.most, len(self.begun) - len(self.done))
            await self.gate.acquire()
            await self.note(self.done, item)

    async def note(self, where, item):
        async with self.moved:
            where.append(item)
            self.moved.notify_all()

    def go(self, times=1):
        for _ in range(times):
            self.gate.release()

    async def until(self, where, count):
        async with self.moved:
            await asyncio.wait_for(self.moved.wait_for(lambda: len(where) >= count), 5)


async def settled():
    """Let everything that can run, run."""
    for _ in range(20):
        await asyncio.sleep(0)


def play(size, script, items=range(10)):
    """Run a crew beside a script of what a person does; returns the work done."""

    async def together():
        work = Work()
        crew = Crew(items, work, size)
        running = asyncio.create_task(crew.run())
        await script(crew, work)
        await asyncio.wait_for(running, 5)
        return work

    return asyncio.run(together())


def test_items_are_taken_in_order_by_as_many_workers_as_there_are():
    async def script(crew, work):
        await work.until(work.begun, 3)
        await settled()
        assert len(work.begun) == 3
        work.go(10)

    work = play(3, script)
    assert work.begun == list(range(10))
    assert sorted(work.done) == list(range(10))
    assert work.most == 3


def test_a_paused_crew_ends_what_it_began_and_takes_nothing_until_it_is_resumed():
    async def script(crew, work):
        await work.until(work.begun, 2)
        crew.pause()
        work.go(2)
        await work.until(work.done, 2)
        await settled()
        assert (crew.is_paused, work.begun) == (True, [0, 1])
        crew.resume()
        work.go(8)

    assert play(2, script).begun == list(range(10))


def test_a_finishing_crew_takes_nothing_more_even_when_it_was_paused():
    async def script(crew, work):
        await work.until(work.begun, 1)
        crew.pause()
        crew.finish()
        work.go(1)

    assert play(1, script).done == [0]


def test_a_larger_crew_begins_more_at_once_and_a_smaller_one_less_as_items_end():
    async def script(crew, work):
        await work.until(work.begun, 1)
        crew.resize(4)
        await work.until(work.begun, 4)
        crew.resize(1)
        work.go(4)
        await work.until(work.done, 4)
        await settled()
        assert len(work.begun) == 5
        work.go(6)

    work = play(1, script)
    assert work.most == 4
    assert sorted(work.done) == list(range(10))


def test_a_cancelled_crew_begins_nothing_more_however_it_is_steered():
    async def script(crew, work):
        await work.until(work.begun, 2)
        crew.pause()
        crew.cancel()
        crew.resume()
        crew.resize(8)
        await settled()

    work = play(2, script)
    assert (work.begun, work.done) == ([0, 1], [])


def test_cancelling_again_leaves_what_is_being_put_away_alone():
    put_away = []

    async def careful(items):
        try:
            async for _ in items:
                await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            put_away.append(True)

    async def together():
        crew = Crew(range(9), careful, 3)
        running = asyncio.create_task(crew.run())
        await settled()
        for _ in range(3):
            crew.cancel()
            await settled()
        await running

    asyncio.run(together())
    assert put_away == [True] * 3


def test_nobody_is_added_once_the_items_are_used_up():
    async def script(crew, work):
        await work.until(work.begun, 2)
        work.go(1)
        await work.until(work.done, 1)
        await settled()
        crew.resize(8)
        work.go(1)

    assert play(2, script, items=range(2)).begun == [0, 1]


def test_what_a_worker_raises_ends_the_crew_and_leaves_no_worker():
    async def fails(items):
        async for item in items:
            if item == 3:
                raise ValueError("three")
            await asyncio.sleep(0)

    async def together():
        before = asyncio.all_tasks()
        with pytest.raises(ValueError, match="three"):
            await Crew(range(100), fails, 4).run()
        return asyncio.all_tasks() - before

    assert asyncio.run(together()) == set()


class Failing(Work):
    """Gives the item 0 back once, the first time that it comes to its end."""

    def __init__(self):
        super().__init__()
        self.crew = None

    async def __call__(self, items):
        async for item in items:
            await self.note(self.begun, item)
            await self.gate.acquire()
            if item == 0 and self.begun.count(0) == 1:
                self.crew.put_back(0)
            await self.note(self.done, item)


def play_failing(size, script, items):
    async def together():
        work = Failing()
        work.crew = Crew(items, work, size)
        running = asyncio.create_task(work.crew.run())
        await script(work.crew, work)
        await asyncio.wait_for(running, 5)
        return work

    return asyncio.run(together())


def test_what_is_put_back_is_taken_before_all_others():
    async def script(_crew, work):
        work.go(9)

    assert play_failing(1, script, range(3)).begun == [0, 0, 1, 2]


def test_what_is_put_back_is_taken_though_all_else_is_used_up():
    async def script(_crew, work):
        await work.until(work.begun, 2)
        await settled()
        work.go(9)

    assert play_failing(2, script, range(2)).begun.count(0) == 2


def test_what_is_put_back_waits_for_a_crew_that_is_paused():
    async def script(crew, work):
        await work.until(work.begun, 1)
        crew.pause()
        work.go(1)
        await work.until(work.done, 1)
        await settled()
        assert work.begun == [0]
        crew.resume()
        work.go(9)

    assert play_failing(1, script, range(2)).begun == [0, 0, 1]


def test_what_is_put_back_is_not_begun_by_a_crew_that_is_finishing():
    async def script(crew, work):
        await work.until(work.begun, 1)
        crew.finish()
        work.go(9)

    assert play_failing(1, script, range(2)).begun == [0]


def test_what_is_put_back_is_not_lost_by_a_crew_that_becomes_smaller():
    async def script(crew, work):
        await work.until(work.begun, 2)
        crew.resize(1)
        work.go(9)

    assert sorted(play_failing(2, script, range(4)).begun) == [0, 0, 1, 2, 3]
