"""The results of a run as a table: one row a trial, one column a metric."""

from collections.abc import Callable, Sequence

from studio.engine.analysis.passing import Rule
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import Measure, score_of, short_names, value_of
from studio.ui.models.order import Key
from studio.ui.models.server_names import server_name
from studio.ui.models.standing import badges, ended, outcome, standing
from studio.ui.models.table import Column, Table
from studio.ui.models.verdicts import Verdict, verdict
from studio.ui.text import count, one_line, score, seconds

NOT_SCORED = "–"


def identify(trial: TrialRow) -> tuple[int, int]:
    """A trial's place in the plan: a trial that is started again takes its row over."""
    return (trial.position, trial.number)


def natural(trial: TrialRow) -> Key:
    return (trial.position, trial.number)


def columns(
    measures: Sequence[Measure], trials: int, servers: int = 1, rules: Sequence[Rule] = ()
) -> tuple[Column[TrialRow], ...]:
    """The columns for a run: the metrics that are shares; effort is told by the row itself.

    Which server answered stands there if it was spread over several `servers`.  `rules` are those
    by which a trial passes.
    """
    shares = [measure for measure in measures if measure.is_share]
    titles = short_names([measure.label for measure in shares])
    return (
        Column(
            "Query", _query, _query, hint=_Hint(rules), is_number=False, about="What was asked."
        ),
        _outcome_column(rules),
        *([Column("Trial", _number, _number_text)] if trials > 1 else []),
        *(_metric(measure, title) for measure, title in zip(shares, titles, strict=True)),
        *([_server_column()] if servers > 1 else []),
        Column("Steps", _steps, _steps_text, about="Executions of a node of the graph."),
        Column("Seconds", _seconds, _seconds_text, about="How long the trial took."),
        Column("Tokens", _tokens, _tokens_text, about="Prompt and reply, over all model calls."),
    )


def results(measures: Sequence[Measure], trials: int) -> Table[TrialRow]:
    return Table(columns(measures, trials), identify=identify, natural=natural)


class Wanted:
    """A filter: all words are in the row, and it is one of a kind."""

    ALL, PROBLEMS, UNSCORED, RUNNING = "All", "Problems", "Not scored", "Running"
    NOT_PASSED, EXCUSED = "Did not pass", "Not the agent's doing"
    KINDS = (ALL, NOT_PASSED, PROBLEMS, UNSCORED, EXCUSED, RUNNING)

    def __init__(self, words: str, kind: str, rules: Sequence[Rule]) -> None:
        self._words = words.casefold().split()
        self._kind = kind
        self._rules = tuple(rules)

    def __bool__(self) -> bool:
        """Whether it keeps anything out at all."""
        return bool(self._words) or self._kind != self.ALL

    def __call__(self, trial: TrialRow) -> bool:
        return self._is_kind(trial) and self._has_words(trial)

    def _is_kind(self, trial: TrialRow) -> bool:
        match self._kind:
            case self.NOT_PASSED:
                return verdict(trial, self._rules) is Verdict.NOT_PASSED
            case self.PROBLEMS:
                state = verdict(trial, self._rules)
                return state not in {Verdict.PASSED, Verdict.RUNNING} or bool(trial.marks)
            case self.UNSCORED:
                return trial.outcome is not None and any(s.value is None for s in trial.scores)
            case self.EXCUSED:
                return trial.is_excused
            case self.RUNNING:
                return trial.outcome is None
            case _:
                return True

    def _has_words(self, trial: TrialRow) -> bool:
        if not self._words:
            return True
        answer, failure = trial.answer or "", trial.failure or ""
        modes = (finding.mode for finding in trial.findings)
        told = (
            trial.query_id, trial.query, answer, ended(trial), failure, *trial.marks, trial.server,
            *modes,
        )  # fmt: skip
        text = " ".join(told)
        folded = text.casefold()
        return all(word in folded for word in self._words)


class _Value:
    """A metric's value of a trial, for sorting."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, trial: TrialRow) -> float | None:
        return value_of(trial, self._key)


class _Text:
    def __init__(self, measure: Measure) -> None:
        self._measure = measure

    def __call__(self, trial: TrialRow) -> str:
        found = score_of(trial, self._measure.key)
        if found is None:
            return ""
        if found.value is None:
            return NOT_SCORED
        if self._measure.is_binary:
            return "✓" if found.value >= 1 else "✕"
        return score(found.value)


class _Reason:
    def __init__(self, measure: Measure) -> None:
        self._measure = measure

    def __call__(self, trial: TrialRow) -> str:
        found = score_of(trial, self._measure.key)
        if found is None:
            return "" if trial.outcome else "still running"
        if found.value is None:
            return f"{self._measure.label}: not scored: {found.reason}"
        return f"{self._measure.label}: {found.value:g} {found.reason}".rstrip()


class _Hint:
    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def __call__(self, trial: TrialRow) -> str:
        lines = [trial.query, standing(trial, self._rules).value]
        lines += [f"{finding.mode}: {finding.reason}" for finding in trial.findings]
        lines += [badge.word for badge in badges(trial)]
        return "\n".join([*lines, trial.reason] if trial.reason else lines)


def _metric(measure: Measure, title: str) -> Column[TrialRow]:
    text: Callable[[TrialRow], str] = _Text(measure)
    return Column(
        title,
        _Value(measure.key),
        text,
        hint=_Reason(measure),
        about=f"{measure.label}\n{measure.about}".rstrip(),
    )


class _OutcomeWord:
    """What became of a trial, in one or two words; with `tone`, in which colour."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def __call__(self, trial: TrialRow) -> str:
        return outcome(trial, self._rules).word

    def tone(self, trial: TrialRow) -> str:
        return outcome(trial, self._rules).tone


def _outcome_column(rules: Sequence[Rule]) -> Column[TrialRow]:
    word = _OutcomeWord(rules)
    about = "Whether the trial passed; what went wrong first if it did not."
    return Column(
        "Outcome", word, word, hint=_Hint(rules), tone=word.tone, about=about, is_number=False,
        width=19,
    )  # fmt: skip


def _server_column() -> Column[TrialRow]:
    about = "The server that was asked."
    return Column("Server", _server, _server, about=about, is_number=False, width=20)


def _server(trial: TrialRow) -> str:
    return server_name(trial.server) if trial.server else ""


def _query(trial: TrialRow) -> str:
    return one_line(trial.query)


def _number(trial: TrialRow) -> float:
    return trial.number


def _number_text(trial: TrialRow) -> str:
    return str(trial.number)


def _steps(trial: TrialRow) -> float | None:
    return trial.steps


def _steps_text(trial: TrialRow) -> str:
    return "" if trial.steps is None else count(trial.steps)


def _seconds(trial: TrialRow) -> float | None:
    return trial.seconds


def _seconds_text(trial: TrialRow) -> str:
    return "" if trial.seconds is None else seconds(trial.seconds)


def _tokens(trial: TrialRow) -> float | None:
    if trial.prompt_tokens is None or trial.reply_tokens is None:
        return None
    return trial.prompt_tokens + trial.reply_tokens


def _tokens_text(trial: TrialRow) -> str:
    tokens = _tokens(trial)
    return "" if tokens is None else count(int(tokens))
