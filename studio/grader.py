"""The grader lab in a terminal: `studio grade`."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from studio.engine.analysis.benchmark_figures import counts_for
from studio.engine.errors import StudioError
from studio.engine.grading import Tally, graded_blocks
from studio.engine.grading.target import open_new, open_target
from studio.engine.metrics import CATALOGUE, Metric, build
from studio.engine.metrics.help import example, help_text
from studio.engine.metrics.own.metric import Own
from studio.engine.records import Criteria, MetricSpec
from studio.terminal_settings import value_of
from studio.terminal_text import visible


class Wish(NamedTuple):
    """What to grade, and how; `cases` is a path, or "-" for the standard input."""

    metric: str
    cases: str | None
    mode: str | None = None
    settings: Sequence[str] = ()
    out: Path | None = None
    project: Path | None = None


def list_metrics(folder: Path | None = None) -> int:
    """Print the name of each metric and what it asks, those of a project's own last."""
    asks = {name: _question(name) for name in CATALOGUE}
    if folder is not None:
        # Loaded with the first project: the metrics themselves need none of it.
        from studio.engine import project

        for own in project.load(folder.resolve()).project.own_metrics:
            first = own.description.partition("\n\n")[0]
            asks[Own(function=own.name).key] = " ".join(first.split())
    width = max(map(len, asks))
    for name, question in asks.items():
        _say(f"{name:{width}}  {question}".rstrip())
    return 0


def _question(name: str) -> str:
    first = help_text(name).partition("\n- ")[0]
    return " ".join(first.removeprefix("- **Question:**").split())


def print_example(name: str, folder: Path | None = None, out: Path | None = None) -> int:
    """Print a case for the metric, as one line that can be edited and graded, or write it to `out`.

    Raises StudioError if that file is there already.
    """
    spec = _spec(Wish(name, None))
    if folder is not None and name not in CATALOGUE:
        name = _found(folder, spec).name
    else:
        build([spec])
    if out is None:
        _say(example(name))
        return 0
    with _told_in_words(out), open_new(out) as file:
        file.write(f"{example(name)}\n".encode())
    return 0


def grade_cases(wish: Wish) -> int:
    """Grade the cases and say on the standard error output what came of them; 0 when done."""
    spec = _spec(wish)
    if wish.cases is None:
        raise StudioError("There are no cases to grade.", "Name a file, or - for the input.")
    spec = _found(wish.project, spec)
    if wish.project is None:
        [metric] = build([spec])
        return _grade(metric, wish.cases, wish.out)
    from studio.engine.scoring import Scorer

    with Scorer(Criteria((spec,)), wish.project) as scorer:
        return _grade(scorer.metrics[0], wish.cases, wish.out)


def _found(folder: Path | None, spec: MetricSpec) -> MetricSpec:
    """The metric that is meant; a project's own one may be named by its function alone.

    Raises StudioError where it cannot be found by what is said of it.
    """
    if folder is None:
        if spec.name == Own.name:
            problem = "A project's own metric needs the project."
            raise StudioError(problem, "Name it: --project FOLDER.")
        return spec
    if not folder.is_dir():
        raise StudioError(f"There is no folder {folder}.", "Check the path.")
    if spec.name in CATALOGUE and spec.name != Own.name:
        return spec
    from studio.engine.project.located import Mistakes
    from studio.engine.project.own_metrics import FILE, read_own_metrics

    known = [own.name for own in read_own_metrics(folder, Mistakes(FILE))]
    if spec.name in known:
        return MetricSpec(Own.name, {**spec.settings, "function": spec.name})
    wanted = spec.settings.get("function") if spec.name == Own.name else spec.name
    if not wanted:
        raise StudioError(
            f"The metric {Own.name} names no function.",
            "Write --set function=NAME; `studio grade --project FOLDER` lists those there are.",
        )
    if wanted not in known:
        there = f"It has: {', '.join(known)}." if known else f"There is none in its {FILE}."
        raise StudioError(f"The project has no metric {wanted!r} of its own.", there)
    return spec


def _grade(metric: Metric, cases: str, out: Path | None) -> int:
    tally = Tally(counts_for(metric))
    try:
        with _told_in_words(out), _source(cases) as source, _target(out, source) as target:
            _copy(graded_blocks(metric, source, tally), target)
    except BrokenPipeError:
        # Who reads has read enough, such as `head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    _tell(metric, tally)
    return 0


@contextlib.contextmanager
def _told_in_words(out: Path | None) -> Iterator[None]:
    """A file that cannot be read or written is told; that nobody reads any more is not."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        place = error.filename or out or "The standard output"
        raise StudioError(f"{place}: {error.strerror}.") from error


def _spec(wish: Wish) -> MetricSpec:
    settings = dict(map(_setting, wish.settings))
    kind = CATALOGUE.get(wish.metric)
    if wish.mode is not None and (kind is None or "mode" in kind.__struct_fields__):
        settings["mode"] = wish.mode
    return MetricSpec(wish.metric, settings)


def _setting(text: str) -> tuple[str, Any]:
    name, is_there, value = text.partition("=")
    if not is_there:
        raise StudioError(f"{text!r} sets nothing.", "Write --set NAME=VALUE.")
    return name, value_of(value)


@contextlib.contextmanager
def _source(cases: str) -> Iterator[BinaryIO]:
    if cases == "-":
        yield _open_stream(sys.stdin, "input")
        return
    with open(cases, "rb") as file:
        yield file


@contextlib.contextmanager
def _target(out: Path | None, source: BinaryIO) -> Iterator[BinaryIO]:
    if out is None:
        yield _open_stream(sys.stdout, "output")
        return
    with open_target(out, source) as file:
        yield file


def _open_stream(stream: TextIO | None, name: str) -> BinaryIO:
    """The bytes of a standard stream, which whoever started the program may have closed."""
    if stream is None:
        raise StudioError(f"The standard {name} is closed.", "Name a file.")
    return stream.buffer


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
    if planned and not tally.scored:
        name = metric.key.partition("(")[0]
        _say(f"`studio help {name}` says what a case needs; --example prints one.", sys.stderr)


def _say(text: str, to: Any = None) -> None:
    print(visible(text), file=to)
