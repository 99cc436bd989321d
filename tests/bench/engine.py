"""The whole job side by side: ours and Inspect AI's, in turn, each in a process of its own.

``python -m tests.bench.engine [cases] [rounds] [python with inspect-ai]``.  Cases have one tool
call and a model that answers at once; they are recorded and scored by two metrics.  The third
argument names an interpreter that has inspect-ai, if this one has not.  Prints medians and ratios.
"""

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.in_turn import medians

_HERE = Path(__file__).parent


def main() -> None:
    cases = sys.argv[1] if len(sys.argv) > 1 else "1000"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    other = sys.argv[3] if len(sys.argv) > 3 else sys.executable
    commands = {
        "studio": [sys.executable, "-m", "tests.bench.studio_job", cases],
        "Inspect AI": [other, str(_HERE / "inspect_job.py"), cases],
    }
    found = medians(commands, rounds)
    table = Table(title=f"{cases} cases, one tool call each, two scores; median of {rounds}")
    for heading in ("", "cases/s", "peak MiB", "bytes a case"):
        table.add_column(heading, justify="right")
    for name, median in found.items():
        table.add_row(
            name,
            f"{int(cases) / median['seconds']:,.0f}",
            f"{median['peak_mib']:,.0f}",
            f"{median['bytes'] / int(cases):,.0f}",
        )
    ours, theirs = found["studio"], found["Inspect AI"]
    table.add_row(
        "studio against Inspect",
        f"{theirs['seconds'] / ours['seconds']:.1f} ×",
        f"{ours['peak_mib'] / theirs['peak_mib']:.2f} ×",
        f"{ours['bytes'] / theirs['bytes']:.2f} ×",
    )
    Console().print(table)


if __name__ == "__main__":
    main()
