"""Scoring stored runs again, beside pydantic-evals: in turn, each in a process of its own.

``python -m tests.bench.rescoring [trials] [rounds] [python with pydantic-evals]``.  Ours reads
stored traces, scores each by two metrics, maps its failures and writes all of it back, every commit
synced; pydantic-evals evaluates recorded outputs by two evaluators in memory.  The third argument
names an interpreter that has pydantic-evals, if this one has not.  Prints medians and their ratio.
"""

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.in_turn import medians

_HERE = Path(__file__).parent


def main() -> None:
    trials = sys.argv[1] if len(sys.argv) > 1 else "10000"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    other = sys.argv[3] if len(sys.argv) > 3 else sys.executable
    commands = {
        "studio": [sys.executable, "-m", "tests.bench.rescoring_job", trials],
        "pydantic-evals": [other, str(_HERE / "pydantic_evals_job.py"), trials],
    }
    found = medians(commands, rounds)
    table = Table(title=f"{trials} recorded trials, two metrics; median of {rounds}")
    for heading in ("", "trials/s", "peak MiB"):
        table.add_column(heading, justify="right")
    for name, median in found.items():
        rate = int(trials) / median["seconds"]
        table.add_row(name, f"{rate:,.0f}", f"{median['peak_mib']:,.0f}")
    ours, theirs = found["studio"], found["pydantic-evals"]
    ratio = theirs["seconds"] / ours["seconds"]
    table.add_row("against it", f"{ratio:.1f} ×", f"{ours['peak_mib'] / theirs['peak_mib']:.2f} ×")
    Console().print(table)


if __name__ == "__main__":
    main()
