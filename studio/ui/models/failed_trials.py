"""The trials under one mode of failure as a table, kept current while the run goes on."""

from collections.abc import Callable, Sequence

from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import TrialRow
from studio.ui.models.failure_modes import Judged, finding_of
from studio.ui.models.measures import Measure
from studio.ui.models.order import Key
from studio.ui.models.table import Column, Table
from studio.ui.models.verdicts import Place
from studio.ui.text import one_line, score

WIDTHS = (0, 5, 0)
"""Of the columns, in characters; 0 takes what is left."""


class FailedTrials(Table[Judged]):
    """Shows those that stand under `name`; what was found in them under that name is told."""

    def __init__(self) -> None:
        self._name = ""
        self._counts_every = False
        self._rules: tuple[Rule, ...] = ()
        self._labels: dict[str, str] = {}
        columns = (
            Column("Query", _query, _query, hint=_hint, is_number=False, about="What was asked."),
            Column("Trial", _number, _number_text),
            Column(
                "Why", self.why, self.why, hint=self.why, is_number=False,
                about="What was found, in words.",
            ),
        )  # fmt: skip
        super().__init__(columns, identify=place_of, natural=_natural)
        self.arrange(self._accepts())

    def judge_by(self, rules: Sequence[Rule], measures: Sequence[Measure]) -> None:
        """By what trials pass; drops those of the run before."""
        self._rules = tuple(rules)
        self._labels = {measure.key: measure.label for measure in measures}
        self.clear()

    def show(self, name: str, *, counts_every: bool) -> None:
        """Show the trials that stand under another name."""
        self._name, self._counts_every = name, counts_every
        self.arrange(self._accepts())

    def why(self, judged: Judged) -> str:
        """What was found in a trial, under the name that is shown."""
        finding = finding_of(judged.trial, self._name)
        reason = finding.reason if finding is not None else self._missed(judged.trial)
        return one_line(reason or judged.trial.reason or judged.verdict.value)

    def _missed(self, trial: TrialRow) -> str:
        """The metrics by which a trial did not pass, with their values."""
        values = {each.metric: each.value for each in trial.scores}
        return ", ".join(
            f"{self._labels.get(rule.metric, rule.metric)} {score(value)}"
            for rule in self._rules
            if (value := values.get(rule.metric)) is not None and not rule.holds(value)
        )

    def evidence(self, judged: Judged) -> int | None:
        """The place of the event that shows it."""
        finding = finding_of(judged.trial, self._name)
        return finding.event if finding is not None else None

    def _accepts(self) -> Callable[[Judged], bool]:
        name, counts_every = self._name, self._counts_every

        def accepts(judged: Judged) -> bool:
            return judged.stands_under(name, counts_every=counts_every)

        return accepts


def place_of(judged: Judged) -> Place:
    return judged.place


def _natural(judged: Judged) -> Key:
    return judged.place


def _query(judged: Judged) -> str:
    return one_line(judged.trial.query)


def _number(judged: Judged) -> float:
    return judged.trial.number


def _number_text(judged: Judged) -> str:
    return str(judged.trial.number)


def _hint(judged: Judged) -> str:
    return judged.trial.query
