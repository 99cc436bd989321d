"""The grader lab in a terminal: `studio grade`."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from studio.engine.analysis.benchmark_figures import counts_for
from studio.engine.errors import StudioError
from studio.engine.grading import Tally, graded_blocks
from studio.engine.metrics import CATALOGUE, Metric, build
from studio.engine.metrics.help import example, help_text
from studio.engine.records import MetricSpec


class Wish(NamedTuple):
    """What to grade, and how; `cases` is a path, or "-" for the standard input."""

    metric: str
    cases: str | None
    mode: str | None = None
    settings: Sequence[str] = ()
    out: Path | None = None


def list_metrics() -> int:
    """Print the name of each metric and what it asks."""
    width = max(map(len, CATALOGUE))
    for name in CATALOGUE:
        _say(f"{name:{width}}  {_question(name)}")
    return 0


def _question(name: str) -> str:
    first = help_text(name).partition("\n- ")[0]
    return " ".join(first.removeprefix("- **Question:**").split())


def print_example(name: str) -> int:
    """Print a case for the metric, as one line that can be edited and graded."""
    _metric(Wish(name, None))
    _say(example(name))
    return 0


def grade_cases(wish: Wish) -> int:
    """Grade the cases and say on the standard error output what came of them; 0 when done."""
    metric = _metric(wish)
    if wish.cases is None:
        raise StudioError("There are no cases to grade.", "Name a file, or - for the input.")
    tally = Tally(counts_for(metric))
    try:
        with _source(wish.cases) as source, _target(wish.out) as target:
            _copy(graded_blocks(metric, source, tally), target)
    except BrokenPipeError:
        # Who reads has read enough, such as `head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        raise StudioError(f"{error.filename or wish.out}: {error.strerror}.") from error
    _tell(metric, tally)
    return 0


def _metric(wish: Wish) -> Metric:
    settings = dict(map(_setting, wish.settings))
    kind = CATALOGUE.get(wish.metric)
    if wish.mode is not None and (kind is None or "mode" in kind.__struct_fields__):
        settings["mode"] = wish.mode
    [metric] = build([MetricSpec(wish.metric, settings)])
    return metric


def _setting(text: str) -> tuple[str, Any]:
    name, is_there, value = text.partition("=")
    if not is_there:
        raise StudioError(f"{text!r} sets nothing.", "Write --set NAME=VALUE.")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.MsgspecError:
        return name, value


@contextlib.contextmanager
def _source(cases: str) -> Iterator[BinaryIO]:
    if cases == "-":
        yield sys.stdin.buffer
        return
    with open(cases, "rb") as file:
        yield file


@contextlib.contextmanager
def _target(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        yield sys.stdout.buffer
        return
    with out.open("wb") as file:
        yield file


def _copy(blocks: Iterator[Iterator[bytes]], target: BinaryIO) -> None:
    for lines in blocks:
        target.writelines(lines)
        # Whoever writes the cases by hand sees each verdict at once.
        target.flush()


def _tell(metric: Metric, tally: Tally) -> None:
    planned = tally.scored + tally.not_scored
    mean = "" if tally.mean is None else f", mean {tally.mean:.4f}"
    _say(f"{metric.label}: {tally.scored:,} of {planned:,} scored{mean}", sys.stderr)
    for figure in tally.figures:
        _say(f"  {figure.words}", sys.stderr)


def _say(text: str, to: Any = None) -> None:
    print(text, file=to)
