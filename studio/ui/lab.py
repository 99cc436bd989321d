"""What the window asks of metrics: verdicts tried, runs scored again, files of cases graded."""

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio.engine.messages import Notice
from studio.engine.records import Criteria, MetricSpec
from studio.engine.scoring_messages import (
    CasesGraded,
    GradeCases,
    MetricTried,
    ScoreAgain,
    ScoringEnded,
    ScoringMoved,
    StopGrading,
    StopScoring,
    TryMetric,
)
from studio.ui.link import EngineLink

_ENGINE_ENDED = "The engine ended."


class Lab(QObject):
    """Runs are scored again one after the other, files graded one at a time."""

    changed = Signal()
    """How far scoring again is, or that it is over."""

    rejudged = Signal(int, bool)
    """A run has new scores on disk, and whether that is over."""

    asked = Signal()
    """Something was asked for that may need the project's code: `ask_again` once it is trusted."""

    tried = Signal(object)
    """MetricTried: the answer to `try_metric`."""

    graded = Signal(object)
    """CasesGraded: more of the file that is being graded, or its end."""

    exampled = Signal(object)
    """CasesGraded: the answer to `grade_example`."""

    def __init__(self, link: EngineLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._criteria: Criteria | None = None
        self._waiting: tuple[int, ...] = ()
        self.scoring: ScoringMoved | None = None
        """How far the run is that is being scored again."""
        self.scored: tuple[ScoringEnded, ...] = ()
        """How each run ended that was scored since `score_again`."""
        self.grading: GradeCases | None = None
        """What is being graded."""
        self._example = ""
        self._last: TryMetric | GradeCases | tuple[int, ...] = ()

    @property
    def runs_left(self) -> int:
        """How many runs are still to be scored again, the one under way included."""
        return len(self._waiting) + (self.scoring is not None)

    def try_metric(self, trial: int, metric: MetricSpec) -> None:
        self._last = TryMetric(trial, metric)
        self._link.send(self._last)
        self.asked.emit()

    def score_again(self, runs: tuple[int, ...], criteria: Criteria) -> None:
        """Judge these runs by these criteria; `changed` tells how far that is."""
        if self.scoring is None:
            self._criteria, self._waiting, self.scored = criteria, runs, ()
            self._last = runs
            self._score_next()
            self.asked.emit()

    def stop_scoring(self) -> None:
        if self.scoring is not None:
            self._waiting = ()
            self._link.send(StopScoring())
            self.changed.emit()

    def grade(self, metric: MetricSpec, cases: str, out: str = "") -> None:
        """Grade a file of cases, in place of the one that is being graded."""
        self._last = self.grading = GradeCases(metric, cases, out)
        self._link.send(self.grading)
        self.asked.emit()

    def grade_example(self, metric: MetricSpec, case: str) -> bool:
        """Grade a file that holds an example; False while another file is being graded."""
        if self.grading is not None:
            return False
        self._example = case
        self._link.send(GradeCases(metric, case))
        return True

    def ask_again(self) -> None:
        """Ask once more for what was asked for last."""
        match self._last:
            case TryMetric(trial=trial, metric=metric):
                self.try_metric(trial, metric)
            case GradeCases(metric=metric, cases=cases, out=out):
                self.grade(metric, cases, out)
            case runs if self._criteria is not None:
                self.score_again(runs, self._criteria)

    def stop_grading(self) -> None:
        if self.grading is not None:
            self._link.send(StopGrading())

    def take(self, notice: Notice) -> bool:
        """Take in what the engine said; False if it is about something else."""
        match notice:
            case ScoringMoved():
                self.scoring = notice
                self.changed.emit()
                self.rejudged.emit(notice.run, False)
            case ScoringEnded():
                self.scored = (*self.scored, notice)
                self.scoring = None
                if notice.ending == "failed":
                    # What ails one run, such as code that is not trusted, mostly ails them all.
                    self._waiting = ()
                self._score_next()
                self.rejudged.emit(notice.run, True)
            case MetricTried():
                self.tried.emit(notice)
            case CasesGraded(cases=cases) if cases == self._example:
                self.exampled.emit(notice)
            case CasesGraded():
                self.grading = None if notice.ending else self.grading
                self.graded.emit(notice)
            case _:
                return False
        return True

    def forget(self) -> None:
        """Another project is open: what was asked for in the last one says nothing here."""
        self._criteria, self._waiting, self._last = None, (), ()
        self.scored, self.scoring, self.grading = (), None, None
        self.changed.emit()

    def engine_ended(self) -> None:
        """The engine is gone, and what it was doing with it."""
        self._waiting = ()
        if (moved := self.scoring) is not None:
            self.take(ScoringEnded(moved.run, moved.done, moved.planned, "failed", _ENGINE_ENDED))
        if (asked := self.grading) is not None:
            ended = CasesGraded(asked.cases, (), 0, 0, None)
            self.take(replace(ended, ending="failed", problem=_ENGINE_ENDED))

    def _score_next(self) -> None:
        if self._waiting and self._criteria is not None:
            run, *rest = self._waiting
            self._waiting = tuple(rest)
            self.scoring = ScoringMoved(run, 0, 0)
            self._link.send(ScoreAgain(run, self._criteria))
        self.changed.emit()
