"""Time from starting Python to the first paint: an empty QMainWindow against the real window.

`python -m tests.bench.startup [--rounds 11]`: fresh processes, alternating.  The byte code of the
program is compiled before, as an installed copy has it.
"""

import argparse
import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import studio

_REPORT = """
def report():
    print(time.time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
    QCoreApplication.exit(0)
"""
_EMPTY = f"""
import resource, time
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
{_REPORT}
class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, report)
app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""
_REAL = f"""
import resource, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from studio.ui.app import Studio, make_application, state_folder
from studio.ui.log import start_log
{_REPORT}
app = make_application([])
state = state_folder()
studio = Studio(app, state, log=start_log(state))
studio._after_paint.timeout.disconnect()
studio._after_paint.timeout.connect(report)
studio.window.show()
app.exec()
"""


def measure(script: str, home: str, cache: str) -> tuple[float, float]:
    """Seconds from spawn to first paint, and the peak memory in MiB."""
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_STATE_HOME": home,
        "PYTHONPYCACHEPREFIX": cache,
    }  # fmt: skip
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begin = time.time()
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    painted, memory = done.stdout.split()[-2:]
    return float(painted) - begin, float(memory)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=11)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as cache:
        sys.pycache_prefix = cache
        compileall.compile_dir(Path(studio.__file__).parent, quiet=1)
        for script in (_EMPTY, _REAL):
            measure(script, home, cache)
        empty, real = [], []
        for _ in range(rounds):
            empty.append(measure(_EMPTY, home, cache))
            real.append(measure(_REAL, home, cache))
    base = statistics.median(seconds for seconds, _ in empty)
    print(f"{'window':24}{'median ms':>12}{'least ms':>10}{'peak MiB':>10}{'x empty':>9}")
    for name, runs in (("empty QMainWindow", empty), ("studio", real)):
        median = statistics.median(seconds for seconds, _ in runs)
        least = min(seconds for seconds, _ in runs)
        memory = statistics.median(memory for _, memory in runs)
        print(
            f"{name:24}{median * 1000:12.0f}{least * 1000:10.0f}{memory:10.0f}{median / base:9.2f}"
        )


if __name__ == "__main__":
    main()
