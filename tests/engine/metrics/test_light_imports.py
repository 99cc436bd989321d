"""The window builds metrics' names and computes summaries itself, so neither may be heavy."""

import subprocess
import sys


def test_metrics_and_summaries_load_no_heavy_library():
    script = (
        "import studio.engine.metrics, studio.engine.analysis.summary, sys\n"
        "print(*(name.partition('.')[0] for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "msgspec" in loaded
    assert not loaded & {
        "scipy",
        "numpy",
        "pandas",
        "ragas",
        "langchain_core",
        "pydantic",
        "PySide6",
    }
