"""Slices of long work: how many items at a time follows from how long they took."""

import pytest

from studio.ui import slices
from studio.ui.slices import Slice


class Clock:
    """Tells the time that the test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(slices, "time", made)
    return made


def worked(of: Slice, clock: Clock, seconds_each: float) -> int:
    count = of.size
    of.begin()
    clock.now += count * seconds_each
    of.end(count)
    return count


def test_a_slice_grows_while_its_items_are_quick_and_shrinks_when_they_are_not(clock: Clock):
    of = Slice(30, 150)
    assert [worked(of, clock, 1e-6) for _ in range(4)] == [30, 60, 120, 150]
    assert [worked(of, clock, 0.9e-3) for _ in range(7)] == [150, 75, 37, 18, 9, 4, 4]
    assert [worked(of, clock, 1.0) for _ in range(4)] == [4, 2, 1, 1]


def test_nothing_to_do_teaches_nothing(clock: Clock):
    of = Slice(30, 150)
    of.begin()
    clock.now += 9
    of.end(0)
    assert of.size == 30
