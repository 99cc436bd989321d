"""How often an interval of a share holds the true mean, and how wide it is: simulated.

    python -m tests.bench.coverage [RUNS]

Prints, for shapes of scores as agents get them, the coverage in per cent and the mean width at
each number of queries.  The intervals are meant to hold the mean in 95 of 100 runs.
"""

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from studio.engine.analysis.summary import SHARE, VERDICT, Running, Scale

QUERIES = (5, 7, 10, 20, 30, 50, 100, 200)

Draw = Callable[[random.Random], Sequence[float]]
"""The scores of the trials of one query."""


class Shape(NamedTuple):
    """A kind of scores: how those of a query fall, and what they are in the mean."""

    mean: float
    draw: Draw
    scale: Scale = SHARE


def _one_of(*chances: tuple[float, float]) -> Shape:
    values, weights = zip(*chances, strict=True)
    mean = sum(value * weight for value, weight in chances)
    return Shape(mean, lambda random: random.choices(values, weights))


def _beta(alpha: float, beta: float) -> Shape:
    mean = alpha / (alpha + beta)
    return Shape(mean, lambda random: [random.betavariate(alpha, beta)])


def _trials(count: int, alpha: float, beta: float) -> Shape:
    """Verdicts of trials; each query has a rate of its own, in which they agree."""

    def draw(random: random.Random) -> list[float]:
        rate = random.betavariate(alpha, beta)
        return [float(random.random() < rate) for _ in range(count)]

    return Shape(alpha / (alpha + beta), draw, VERDICT)


def _hard(count: int, share: float, rate: float) -> Shape:
    """Verdicts of trials: a share of the queries passes at this rate, all others always."""

    def draw(random: random.Random) -> list[float]:
        chance = rate if random.random() < share else 1.0
        return [float(random.random() < chance) for _ in range(count)]

    return Shape(1 - share + share * rate, draw, VERDICT)


def _uneven(shape: Shape) -> Shape:
    """Of some queries fewer trials could be scored."""

    def draw(random: random.Random) -> Sequence[float]:
        scores = shape.draw(random)
        return scores[: random.randint(1, len(scores))]

    return shape._replace(draw=draw)


SHAPES: Mapping[str, Shape] = {
    "19 of 20 right, else half": _one_of((1.0, 0.95), (0.5, 0.05)),
    "19 of 20 right, else wrong": _one_of((1.0, 0.95), (0.0, 0.05)),
    "9 of 10 right, else wrong": _one_of((1.0, 0.9), (0.0, 0.1)),
    "19 of 20 at 0.9, else 0": _one_of((0.9, 0.95), (0.0, 0.05)),
    "9 of 10 at 0.7, else 0": _one_of((0.7, 0.9), (0.0, 0.1)),
    "mostly right, half, wrong": _one_of((1.0, 0.8), (0.5, 0.1), (0.0, 0.1)),
    "right, half, wrong alike": _one_of((1.0, 1 / 3), (0.5, 1 / 3), (0.0, 1 / 3)),
    "nearly all near 0": _beta(0.1, 5),
    "near 0, a few near 1": _beta(0.05, 0.95),
    "near 1, tailing off": _beta(5, 0.3),
    "either end": _beta(0.5, 0.5),
    "around the middle": _beta(2, 2),
    "close to the middle": _beta(20, 20),
    "3 trials, mostly passing": _trials(3, 5, 0.5),
    "3 trials, all rates": _trials(3, 1, 1),
    "5 trials, lopsided rates": _trials(5, 0.5, 0.1),
    "5 trials, 1 in 10 is hard": _hard(5, 0.1, 0.5),
    "3 trials, 1 in 20 fails": _hard(3, 0.05, 0.0),
    "1 to 5 trials, all rates": _uneven(_trials(5, 1, 1)),
}


def coverage(shape: Shape, queries: int, runs: int, seed: int = 7) -> tuple[float, float]:
    """(How often the interval held the mean, how wide it was in the mean)."""
    chance = random.Random(seed)
    held, width = 0, 0.0
    for _ in range(runs):
        running = Running(shape.scale)
        for _ in range(queries):
            running.add_groups(shape.draw(chance))
        found = running.summary()
        assert found.low is not None, found.method
        assert found.high is not None, found.method
        held += found.low - 1e-9 <= shape.mean <= found.high + 1e-9
        width += found.high - found.low
    return held / runs, width / runs


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"{runs} runs a cell: coverage in per cent / mean width")
    print(f"{'queries':<28}{''.join(f'{each:>11}' for each in QUERIES)}")
    for name, shape in SHAPES.items():
        cells = (coverage(shape, queries, runs) for queries in QUERIES)
        print(f"{name:<28}{''.join(f'{100 * c:>6.1f}/{w:.2f}' for c, w in cells)}", flush=True)


if __name__ == "__main__":
    main()
