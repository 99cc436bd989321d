"""Scoring stored runs again, beside pydantic-evals: in turn, each in a process of its own.

``python -m tests.bench.rescoring [trials] [rounds] [python with pydantic-evals | heavy]``.  Ours
reads stored traces, scores each by two metrics, maps its failures and writes all of it back, every
commit synced, with the children that it starts and without any; pydantic-evals evaluates recorded
outputs by two evaluators in memory.  The third argument names an interpreter that has it, if this
one has not; "heavy" leaves it out and takes ten metrics.  Prints medians and ratios.
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
    job = [sys.executable, "-m", "tests.bench.rescoring_job", trials]
    if other == "heavy":
        metrics = "ten metrics"
        commands = {"one process": [*job, "heavy", "0"], "studio": [*job, "heavy"]}
    else:
        metrics = "two metrics"
        commands = {
            "pydantic-evals": [other, str(_HERE / "pydantic_evals_job.py"), trials],
            "one process": [*job, "light", "0"],
            "studio": [*job, "light"],
        }
    found = medians(commands, rounds)
    first = next(iter(found.values()))
    table = Table(title=f"{trials} recorded trials, {metrics}; median of {rounds}")
    for heading in ("", "trials/s", "peak MiB", "as fast", "as large"):
        table.add_column(heading, justify="right")
    for name, median in found.items():
        table.add_row(
            name,
            f"{int(trials) / median['seconds']:,.0f}",
            f"{median['peak_mib']:,.0f}",
            f"{first['seconds'] / median['seconds']:.1f} ×",
            f"{median['peak_mib'] / first['peak_mib']:.2f} ×",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
