"""A trial that waits for its turn at the server is not made slower, or late, by it."""

import asyncio

import pytest

from studio.engine.agents.waiting import Waiting


def test_one_request_at_a_time_goes_through_the_gate():
    async def three():
        gate, inside, most = asyncio.Semaphore(1), 0, 0

        async def request():
            nonlocal inside, most
            async with Waiting(gate).turn():
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(request(), request(), request())
        return most

    assert asyncio.run(three()) == 1


def test_a_trials_time_stands_still_while_it_waits():
    async def wait_longer_than_allowed():
        gate = asyncio.Semaphore(0)
        waiting = Waiting(gate)
        loop = asyncio.get_running_loop()
        loop.call_later(0.2, gate.release)
        async with asyncio.timeout(0.05) as limit:
            waiting.limit = limit
            async with waiting.turn():
                return waiting.seconds, limit.when() - loop.time()

    waited, left = asyncio.run(wait_longer_than_allowed())
    assert waited >= 0.19
    assert 0 < left <= 0.05


def test_the_time_that_a_model_took_to_load_is_given_back_to_the_trial():
    async def load_longer_than_allowed():
        waiting = Waiting(asyncio.Semaphore(1))
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(5) as limit:
            waiting.limit = limit
            async with waiting.turn():
                waiting.give_back(60)
                beside = asyncio.create_task(waiting.turn().__aenter__())
                await asyncio.sleep(0)
                waiting.give_back(60)  # while another request of the trial waits
            await beside
            return waiting.seconds, limit.when() - loop.time()

    given, left = asyncio.run(load_longer_than_allowed())
    assert 120 <= given < 121
    assert 124 < left <= 125.1


def test_the_limit_still_holds_once_it_is_a_trials_turn():
    async def hang_in_turn():
        waiting = Waiting(asyncio.Semaphore(1))
        async with asyncio.timeout(0.01) as limit:
            waiting.limit = limit
            async with waiting.turn():
                await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        asyncio.run(hang_in_turn())


def test_a_cancelled_wait_gives_its_place_to_the_next():
    async def cancel_one():
        gate = asyncio.Semaphore(1)
        async with Waiting(gate).turn():
            gone = asyncio.create_task(Waiting(gate).turn().__aenter__())
            await asyncio.sleep(0)
            gone.cancel()
            with pytest.raises(asyncio.CancelledError):
                await gone
        async with asyncio.timeout(1), Waiting(gate).turn():
            return True

    assert asyncio.run(cancel_one())
