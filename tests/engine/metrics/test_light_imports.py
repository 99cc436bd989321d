"""The window lists metrics and computes summaries itself, so neither may be heavy."""

import subprocess
import sys

HEAVY = {"scipy", "numpy", "pandas", "ragas", "langchain_core", "pydantic", "PySide6"}


def _loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_metrics_and_summaries_load_no_heavy_library():
    loaded = _loaded_after("import studio.engine.metrics, studio.engine.analysis.summary")
    assert "studio.engine.metrics.number" in loaded
    assert not loaded & HEAVY


def test_the_patterns_that_read_numbers_wait_for_the_first_number():
    loaded = _loaded_after("import studio.engine.metrics")
    assert not [name for name in loaded if name.startswith("studio.engine.metrics.numbers")]
