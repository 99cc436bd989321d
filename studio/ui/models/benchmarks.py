"""The figures that benchmarks report of a run, counted as its trials are scored."""

from collections.abc import Iterable, Sequence

from studio.engine.analysis.benchmark_figures import BenchmarkCounts, Figure, counts_for
from studio.engine.metrics import Metric
from studio.engine.records import JsonObject
from studio.engine.store.rows import TrialRow
from studio.ui.models.figure_lines import FigureLine
from studio.ui.models.verdicts import Place
from studio.ui.text import count, score


class Benchmarks:
    """One count a metric whose benchmark states more than a mean."""

    def __init__(self, metrics: Sequence[Metric] = ()) -> None:
        self._metrics = {each.key: each for each in metrics if counts_for(each) is not None}
        self._counts = self._fresh()
        self._taken: dict[tuple[str, Place], JsonObject] = {}

    def __bool__(self) -> bool:
        """Whether there is any such metric."""
        return bool(self._metrics)

    def update(self, rows: Iterable[TrialRow]) -> None:
        """Take in new rows; one that was scored otherwise before has all counted again."""
        is_stale = False
        for row in rows:
            for given in row.scores:
                if given.metric not in self._metrics:
                    continue
                place = (given.metric, (row.position, row.number))
                before = self._taken.get(place)
                if before is None:
                    self._counts[given.metric].add(given.evidence)
                is_stale = is_stale or (before is not None and before != given.evidence)
                self._taken[place] = given.evidence
        if is_stale:
            self._counts = self._fresh()
            for (metric, _), evidence in self._taken.items():
                self._counts[metric].add(evidence)

    def lines(self) -> list[FigureLine]:
        return [
            _line(figure, self._metrics[key].label)
            for key, counts in self._counts.items()
            for figure in counts.figures()
        ]

    def _fresh(self) -> dict[str, BenchmarkCounts]:
        made = {key: counts_for(metric) for key, metric in self._metrics.items()}
        return {key: counts for key, counts in made.items() if counts is not None}


def _line(figure: Figure, label: str) -> FigureLine:
    counted = "" if figure.counted is None else f"{count(figure.counted)} "
    return FigureLine(
        figure.name, score(figure.value), "", f"{counted}of {count(figure.of)}", label
    )
