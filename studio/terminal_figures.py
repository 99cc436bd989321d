"""The figures of a run as tables for a terminal of 80 columns, each with how sure it is."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from studio.engine.analysis.figures import Benchmarked, Calibrated, Claimed, Measured, RunFigures
from studio.engine.analysis.flips import SIGN_TEST, Flips, Pair
from studio.engine.analysis.reasons import in_words
from studio.engine.analysis.reliability import PASS_ALL, PASS_AT, POOLED, KOfN, Reliability
from studio.engine.analysis.summary import Summary
from studio.terminal_tables import show_table

MOST_QUERIES = 40
_MOST_IDS = 12
_FALLS = "↓"


class Grid(NamedTuple):
    """A table: a title (or none), headings, rows of text."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def show(self, console: Console) -> None:
        if self.title:
            console.print(Text(f"\n{self.title}", style="bold"))
        show_table(console, self.headings, self.rows, numbers=self.headings[1:])


def summary_grid(measured: Iterable[Measured], *, has_excused: bool) -> Grid:
    """The summary of each metric; an arrow marks those of which less is better."""
    headings = ["Metric", "Average", "95 % interval", "Scored"]
    headings += ["Others as 0"] if has_excused else []
    rows = []
    for each in measured:
        summary = each.summary
        name = f"{each.label} {_FALLS}" if each.falls else each.label
        row = [name, _average(each), _interval(summary, each.highest), summary.counts]
        rows.append([*row, *([shown(summary.counted, each.highest)] if has_excused else [])])
    return Grid("", headings, rows)


def about_unscored(measured: Iterable[Measured]) -> Iterator[str]:
    """Why metrics gave trials no value, the most frequent reasons of each."""
    for each in measured:
        yield from (f"{each.label}: {words}." for words in in_words(each.unscored))


def reliability_grid(found: Reliability) -> Grid:
    rows = []
    for at, power, pooled in zip(found.pass_at, found.pass_all, found.pooled, strict=True):
        cells = [f"{shown(each.value)} ({_interval(each.over)})" for each in (at, power, pooled)]
        rows.append([f"k = {at.k}", *cells, at.over.counts])
    return Grid("Reliability", ["", "pass@k", "pass^k", "pooled rate^k", "Queries"], rows)


def about_reliability(found: Reliability) -> Iterator[str]:
    """By which estimators, over what, and how sure."""
    good, counted = found.trials
    excused, undecided = found.left_out
    left_out = f"; left out: {excused:,} excused, {undecided:,} undecided"
    yield f"{good:,} of {counted:,} counted trials passed{left_out if excused + undecided else ''}."
    yield f"pass@k, one of k passes: {PASS_AT}."
    yield f"pass^k, all of k pass: {PASS_ALL}."
    yield f"pooled rate^k, AgentArch's: {POOLED}."
    yield "n counted trials of a query, c of them passed; queries with n < k are left out."
    figures = (*found.pass_at, *found.pass_all, *found.pooled[:1])
    methods = dict.fromkeys(each.over.method for each in figures)
    yield f"In brackets: intervals over queries ({'; '.join(methods)})."
    rate = found.flip_rate
    if rate.mean is not None:
        told = f"Two trials of a query disagree with a chance of {shown(rate.mean)}"
        yield f"{told} ({_interval(rate)}), over {rate.counts} queries."


def k_of_n_grid(queries: Sequence[KOfN], titles: Mapping[str, str]) -> Grid:
    """The queries, the least reliable first; `titles` say which an id stands for."""
    ranked = sorted(queries, key=lambda each: 1.0 if each.share is None else each.share)
    has_left_out = any(each.excused or each.undecided for each in queries)
    rows = [
        [
            titles.get(each.query_id, each.query_id),
            f"{each.passed} of {each.counted}",
            _ends(each.low, each.high),
            shown(each.flip_rate),
            *([str(each.excused + each.undecided)] if has_left_out else []),
        ]
        for each in ranked[:MOST_QUERIES]
    ]
    headings = ["Query", "Passed", "95 % interval", "Flip rate"]
    headings += ["Left out"] if has_left_out else []
    return Grid("How often each query passed", headings, rows)


def distribution(queries: Sequence[KOfN]) -> str:
    """`8 of 8: 3 queries, 7 of 8: 1 query, ...`, the best first."""
    counted = Counter((each.passed, each.counted) for each in queries if each.counted)
    ranked = sorted(counted, key=lambda pair: (-pair[0] / pair[1], -pair[1]))
    parts = (f"{c} of {n}: {_queries(counted[c, n])}" for c, n in ranked)
    return ", ".join(parts)


def reliability_line(found: Reliability) -> str:
    """pass@k and pass^k at the largest k, in a line; "" where nothing can be told of repeating."""
    if found.most < 2:
        return ""
    at, power = found.pass_at[-1], found.pass_all[-1]
    told = (f"{each.name} {shown(each.value)} ({_interval(each.over)})" for each in (power, at))
    return f"Reliability: {', '.join(told)}, over {power.over.counts} queries."


def flip_grid(flips: Flips, title: str, before: str, after: str) -> Grid:
    rows = [
        [f"{before} passed", str(len(flips.pass_pass)), str(len(flips.pass_fail))],
        [f"{before} did not", str(len(flips.fail_pass)), str(len(flips.fail_fail))],
    ]
    return Grid(title, ["", f"{after} passed", f"{after} did not"], rows)


def about_flips(flips: Flips, titles: Mapping[str, str]) -> Iterator[str]:
    pairs = "pair" if flips.compared == 1 else "pairs"
    yield f"{flips.compared:,} {pairs} of trials compared, {flips.flipped:,} changed sides."
    if flips.fail_pass:
        yield f"Passed now: {_ids(flips.fail_pass, titles)}."
    if flips.pass_fail:
        yield f"No longer passed: {_ids(flips.pass_fail, titles)}."
    if flips.p_value is not None:
        told = f"{_queries(flips.better)} better, {flips.worse:,} worse"
        yield f"{told}: p = {flips.p_value:.3g}, {SIGN_TEST}."
    left = (
        (flips.undecided, "undecided"),
        (flips.unpaired, "unpaired"),
        (flips.changed, "changed"),
    )
    parts = [f"{count:,} {word}" for count, word in left if count]
    if parts:
        yield f"Not compared: {', '.join(parts)}."


def calibration_grid(each: Calibrated) -> Grid:
    rows = [
        [
            f"{bin.low:.2f} to {bin.high:.2f}",
            shown(bin.confidence),
            shown(bin.accuracy.mean),
            _interval(bin.accuracy),
            f"{bin.accuracy.scored:,}",
        ]
        for bin in each.calibration.bins
        if bin.accuracy.scored
    ]
    headings = ["Confidence", "Mean", "Passed", "95 % interval", "Trials"]
    return Grid(f"Calibration of {each.label}", headings, rows)


def about_calibration(each: Calibrated) -> str:
    found = each.calibration
    counts = f"{found.paired:,} of {found.planned:,} trials"
    if found.error is None:
        return f"Calibration of {each.label}: {found.reason}."
    return (
        f"Expected calibration error {shown(found.error)}, Brier score {shown(found.brier)}; mean "
        f"confidence {shown(found.confidence)}, {shown(found.accuracy)} passed; over {counts}."
    )


def benchmark_grid(each: Benchmarked) -> Grid:
    rows = [
        [
            figure.name,
            shown(figure.value),
            "" if figure.counted is None else f"{figure.counted:,}",
            f"{figure.of:,}",
        ]
        for figure in each.figures
    ]
    return Grid(f"As its benchmark reports it: {each.label}", ["", "Figure", "Count", "Of"], rows)


def about_claims(each: Claimed) -> str:
    claims = each.claims
    precision, false = claims.precision, claims.false_success
    return (
        f"{each.label}: {claims.confirmed:,} of {claims.claimed:,} claims confirmed, precision "
        f"{shown(precision.mean)} ({_interval(precision)}); false success {shown(false.mean)} "
        f"({_interval(false)}) of {false.counts} trials."
    )


def about_rounds(figures: RunFigures) -> str:
    found = figures.rounds
    if found.deviation is None:
        return ""
    share = "" if found.variation is None else f" ({found.variation:.0%} of the mean)"
    return (
        f"Pass rate of the {found.count:,} rounds of trials: mean {shown(found.mean)}, sample "
        f"standard deviation {shown(found.deviation)}{share}."
    )


def about_agreement(figures: RunFigures) -> str:
    found = figures.agreement
    if found is None or found.mean is None:
        return ""
    told = f"Answers of one query agree to {shown(found.mean)} ({_interval(found)})"
    return f"{told}, the mean over {found.counts} queries."


def shown(value: float | None, highest: float | None = 1.0) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if highest == 1.0 or value < 100 else f"{value:,.0f}"


def _average(each: Measured) -> str:
    value = shown(each.summary.value, each.highest)
    return f"{value} (median)" if each.summary.average == "median" and value != "–" else value


def _interval(summary: Summary, highest: float | None = 1.0) -> str:
    return _ends(summary.low, summary.high, highest)


def _ends(low: float | None, high: float | None, highest: float | None = 1.0) -> str:
    if low is None or high is None:
        return "–"
    return f"{shown(low, highest)} to {shown(high, highest)}"


def _ids(pairs: Sequence[Pair], titles: Mapping[str, str]) -> str:
    ids = list(dict.fromkeys(titles.get(pair.query_id, pair.query_id) for pair in pairs))
    more = f" and {len(ids) - _MOST_IDS:,} more" if len(ids) > _MOST_IDS else ""
    return f"{', '.join(ids[:_MOST_IDS])}{more}"


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"
