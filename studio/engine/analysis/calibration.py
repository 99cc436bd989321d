"""Does the agent know what it knows?  Figures over many trials, from what each one said and was.

Everything here is a pure function of values that trials have: a stated confidence (or None), a
claim of success (or None), whether the trial passed (or None).  Nothing is told without its
counts, and what cannot be told is None with the reason.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from studio.engine.analysis.passing import Rule, passed
from studio.engine.analysis.summary import SHARE, VERDICT, Running, Summary, summarise
from studio.engine.metrics.base import Mode
from studio.engine.records import Record
from studio.engine.store.rows import TrialRow


class Told(NamedTuple):
    """What one trial said of itself, and what became of it; None is what is not known.

    `said` is a confidence from 0 to 1, or for a claim 1 or 0.  Trials with an equal `group`, such
    as those of one query, count as one piece of evidence in intervals.
    """

    said: float | None
    is_right: bool | None
    group: Hashable = None


class Bin(Record, frozen=True):
    """The trials whose confidence is from `low` to below `high` (in the last bin: to 1).

    `accuracy` holds their number, the share that was right and its interval; `confidence` is their
    mean confidence, None where there are none.
    """

    low: float
    high: float
    confidence: float | None
    accuracy: Summary


class Calibration(Record, frozen=True):
    """How far stated confidence and being right agree, over `paired` of `planned` trials.

    `error` is the expected calibration error: the mean over the trials of the gap between accuracy
    and mean confidence of their bin.  `brier` is the mean of (confidence - right)^2.  Both are 0
    at best and 1 at worst; all figures are None where nothing is paired, and `reason` says so.
    """

    paired: int
    planned: int
    bins: tuple[Bin, ...]
    confidence: float | None = None
    accuracy: float | None = None
    error: float | None = None
    brier: float | None = None
    reason: str = ""


def calibration(
    trials: Iterable[Told], bins: int = 10, planned: int | None = None, mode: Mode = "corrected"
) -> Calibration:
    """Calibration with `bins` bins of equal width; a value on an edge belongs to the upper bin.

    Published: the edges are those of numpy's linspace, where 0.3 is below the edge 3 x 0.1.
    Raises ValueError for a confidence outside 0 to 1.
    """
    running = Calibrating(bins, mode)
    for each in trials:
        running.add(each)
    return running.calibration(planned)


class Calibrating:
    """A calibration that grows with each trial; see `calibration`."""

    def __init__(self, bins: int = 10, mode: Mode = "corrected") -> None:
        self._edges = _edges(bins, mode)
        self._accuracy = [Running(VERDICT) for _ in range(bins)]
        self._said = [0.0] * bins
        self._right = self._squares = 0.0
        self._seen = self._paired = 0

    def add(self, told: Told) -> None:
        """Take one trial in; one that lacks a part counts as planned and no more."""
        self._seen += 1
        if told.said is None or told.is_right is None:
            return
        if not 0 <= told.said <= 1:
            raise ValueError(f"a confidence is a share from 0 to 1, not {told.said}")
        place, right = bisect_right(self._edges, told.said), float(told.is_right)
        self._accuracy[place].add(right, told.group)
        self._said[place] += told.said
        self._right += right
        self._squares += (told.said - right) ** 2
        self._paired += 1

    def calibration(self, planned: int | None = None) -> Calibration:
        """What is known so far, of `planned` trials (as many as were added, if not given)."""
        count, planned = self._paired, self._seen if planned is None else planned
        made = tuple(self._bin(place) for place in range(len(self._accuracy)))
        if not count:
            reason = "no trial both states a confidence and is known to be right or wrong"
            return Calibration(0, planned, made, reason=reason)
        gaps = (
            each.accuracy.scored * abs(each.accuracy.mean - each.confidence)
            for each in made
            if each.accuracy.mean is not None and each.confidence is not None
        )
        return Calibration(
            count,
            planned,
            made,
            sum(self._said) / count,
            self._right / count,
            sum(gaps) / count,
            self._squares / count,
        )

    def _bin(self, place: int) -> Bin:
        bins, accuracy = len(self._accuracy), self._accuracy[place].summary()
        mean = self._said[place] / accuracy.scored if accuracy.scored else None
        return Bin(place / bins, (place + 1) / bins, mean, accuracy)


def _edges(bins: int, mode: Mode) -> list[float]:
    if bins < 1:
        raise ValueError("there must be a bin at least")
    if mode == "published":
        return [place * (1 / bins) for place in range(1, bins)]
    return [place / bins for place in range(1, bins)]


class Claims(Record, frozen=True):
    """What claims of success are worth, over the trials of which claim and success are known.

    `precision`: confirmed claims of all claims.  `false_success`: trials that claim success
    without having it, of all.  `claims` and `success`: the shares of trials that claim success,
    and that have it; the precision rises when either changes.
    """

    claimed: int
    confirmed: int
    precision: Summary
    false_success: Summary
    claims: Summary
    success: Summary


def claimed_success(trials: Iterable[Told], planned: int | None = None) -> Claims:
    """The worth of claims; `said` of a trial is whether (1 or 0) it claims success."""
    running = Claiming()
    for each in trials:
        running.add(each)
    return running.claims(planned)


class Claiming:
    """The worth of claims as it grows with each trial; see `claimed_success`."""

    def __init__(self) -> None:
        self._precision, self._false = Running(VERDICT), Running(VERDICT)
        self._claims, self._success = Running(VERDICT), Running(VERDICT)
        self._seen = self._confirmed = 0

    def add(self, told: Told) -> None:
        """Take one trial in; one that lacks a part counts as planned and no more."""
        self._seen += 1
        if told.said is None or told.is_right is None:
            return
        claims, right = bool(told.said), told.is_right
        if claims:
            self._precision.add(float(right), told.group)
            self._confirmed += right
        self._false.add(float(claims and not right), told.group)
        self._claims.add(float(claims), told.group)
        self._success.add(float(right), told.group)

    def claims(self, planned: int | None = None) -> Claims:
        """What is known so far, of `planned` trials (as many as were added, if not given)."""
        planned = self._seen if planned is None else planned
        precision = self._precision.summary()
        return Claims(
            precision.scored,
            self._confirmed,
            precision,
            self._false.summary(planned),
            self._claims.summary(planned),
            self._success.summary(planned),
        )


class Agreement(Record, frozen=True):
    """How far the answers of several trials of one query agree.

    `share` is that of the most frequent answer among the `answered` trials; None below two
    answers, and `reason` says so.  `answer` is that answer, as it was first written.
    """

    answered: int
    planned: int
    share: float | None = None
    answer: str | None = None
    reason: str = ""


_MARKS = re.compile(r"[*_`#\"'“”‘’]+")


def normalised(answer: str) -> str:
    """An answer for comparison: NFKC, case, Markdown, quotes, blanks and end marks left out."""
    text = _MARKS.sub("", unicodedata.normalize("NFKC", answer)).casefold()
    return " ".join(text.split()).strip(" .!?,;:")


def agreement(answers: Sequence[str | None]) -> Agreement:
    """The agreement of the trials of one query; None stands for a trial without an answer.

    Equal are answers whose `normalised` texts are: the same figure in other words is another
    answer, so the query should ask for a short one.
    """
    given = [answer for answer in answers if answer is not None and answer.strip()]
    if len(given) < 2:
        reason = f"{len(given)} of {len(answers)} trials gave an answer; two are needed"
        return Agreement(len(given), len(answers), reason=reason)
    alike = [normalised(answer) for answer in given]
    [(most, count)] = Counter(alike).most_common(1)
    return Agreement(len(given), len(answers), count / len(given), given[alike.index(most)])


def mean_agreement(queries: Sequence[Sequence[str | None]]) -> Summary:
    """The mean over queries; one with fewer than two answers counts as not scored."""
    return summarise([agreement(answers).share for answers in queries], scale=SHARE)


def told_in(rows: Iterable[TrialRow], metric: str, rules: Sequence[Rule]) -> list[Told]:
    """What the trials of a run said by the scores of a metric, and whether they passed by rules.

    The metric itself is no part of the rules: what an agent says of itself proves nothing.
    """
    others = [rule for rule in rules if rule.metric != metric]
    return [
        Told(
            next((score.value for score in row.scores if score.metric == metric), None),
            passed(others, row.scores),
            row.position,
        )
        for row in rows
    ]
