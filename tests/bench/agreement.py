"""Compares our verdicts with those of a published grader, case by case.

``python -m tests.bench.agreement METRIC CASES.jsonl VERDICTS.jsonl FIELD [--set NAME=VALUE ...]``

CASES holds a case a line, VERDICTS what the published grader said of it, an object a line in the
same order; FIELD is where its verdict stands in the object (`a.b` for b within a): a number, true
or false, or a list of these, whose mean is taken.  Prints how many are equal, and the first that
are not; exits with 1 if any is not.  Public data are not part of the repository: this is how
anybody who has them can check a claim of `resources/help/metrics.md`.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

from studio.engine.grading import Tally, graded_lines
from studio.engine.metrics import build
from studio.engine.records import MetricSpec

_SHOWN = 10
_CLOSE = 1e-9


def differences(ours: Iterator[Any], theirs: Iterator[Any]) -> Iterator[tuple[int, Any, Any]]:
    """The number, our verdict and theirs of each case on which the two are not the same."""
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        is_same = our is their if None in (our, their) else abs(our - their) <= _CLOSE
        if not is_same:
            yield number, our, their


def stated(verdict: Any, field: str) -> float | None:
    """The verdict that stands at `field` of what a grader wrote."""
    found = reduce(lambda value, key: value[key], field.split("."), verdict)
    if isinstance(found, list):
        return sum(found) / len(found) if found else None
    return None if found is None else float(found)


def _setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("metric")
    parser.add_argument("cases", type=Path)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("field")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    [metric] = build([MetricSpec(asked.metric, dict(map(_setting, asked.set)))])
    tally = Tally()
    with asked.cases.open("rb") as cases, asked.verdicts.open() as verdicts:
        ours = (json.loads(line)["score"] for line in graded_lines(metric, cases, tally))
        theirs = (stated(json.loads(line), asked.field) for line in verdicts if line.strip())
        found = list(differences(ours, theirs))
    for number, our, their in found[:_SHOWN]:
        print(f"case {number}: {our} here, {their} there")
    total = tally.scored + tally.not_scored
    print(f"{metric.key}: {total - len(found):,} of {total:,} equal")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
