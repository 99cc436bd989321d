"""The two processes stay apart: the engine loads no Qt, the window nothing heavy."""

import pkgutil
import subprocess
import sys

import studio.engine

HEAVY = (
    "torch", "transformers", "ragas", "langchain", "langchain_core", "langchain_ollama",
    "langgraph", "numpy", "pandas", "pyqtgraph", "scipy", "pydantic", "httpx", "xllamacpp",
)  # fmt: skip


def _loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_no_engine_module_loads_qt():
    names = [
        module.name
        for module in pkgutil.walk_packages(studio.engine.__path__, "studio.engine.")
        if not module.name.endswith("__main__")
    ]
    loaded = _loaded_after("\n".join(f"import {name}" for name in names))
    assert "studio.engine.records" in loaded
    assert not {name for name in loaded if name.startswith(("PySide6", "pyqtgraph"))}


def test_what_the_window_shares_with_the_engine_is_light():
    loaded = _loaded_after(
        "import studio.engine.messages, studio.engine.trace, studio.engine.store"
    )
    assert not loaded & set(HEAVY)
