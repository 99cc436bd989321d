"""Paints the pages of the window into PNG files: `python -m tests.screenshots FOLDER [--dark]`.

With `--real` it runs the sample project on the embedded model and paints the Evaluate and Analysis
pages at its end, light and dark: among them the pictures of the README.  The scale is Qt's own
setting: QT_SCALE_FACTOR=2 paints at 200 %.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from studio.engine import trust
from studio.resources import sample_project
from studio.ui.app import Studio, make_application
from studio.ui.pages import PAGES

ENGINE = (sys.executable, "-m", "tests.ui.fake_engine", "--pause", "0.02")


class Camera:
    """Walks through the pages once a run has ended, and takes a picture of each."""

    def __init__(
        self,
        folder: Path,
        *,
        dark: bool,
        font: str,
        points: float,
        size: tuple[int, int] = (1280, 800),
        real: bool = False,
    ) -> None:
        self.size = size
        self.app = make_application([])
        if font or points:
            chosen = QFont(self.app.font())
            if font:
                chosen.setFamily(font)
            if points:
                chosen.setPointSizeF(points)
            self.app.setFont(chosen)
        self.folder = folder
        self.name = "dark" if dark else "light"
        state = Path(tempfile.mkdtemp())
        project = Path(tempfile.mkdtemp()) / "metal_prices"
        if real:
            shutil.copytree(sample_project("metal_prices"), project)
            trust.trust(project)
        else:
            project.mkdir()
        self.studio = Studio(self.app, state, engine=() if real else ENGINE, opens=project)

    def take(self, what: str) -> None:
        self.wait(200)
        self.studio.window.grab().save(str(self.folder / f"{what}_{self.name}.png"))

    def wait(self, milliseconds: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def wait_for(self, what: str, seconds: float = 10, *, of: object = None) -> None:
        for _ in range(int(seconds * 20)):
            if getattr(of or self.studio.session.state, what):
                return
            self.wait(50)
        raise TimeoutError(what)

    def walk(self) -> None:
        self.studio.window.resize(*self.size)
        self.studio.window.show()
        self.wait(300)
        self.studio.theme.choose(self.name)
        self.take("welcome")
        self.wait_for("can_run")
        self.studio.session.start_run()
        self.wait_for("live")
        self.wait(400)
        self.take("running")
        self.wait_for("can_run")
        for page in PAGES:
            self.studio.session.show_page(page)
            self.take(page)
        self.studio.handlers.do("palette.open")
        self.wait(100)
        palette = self.app.activePopupWidget()
        if palette is not None:
            palette.grab().save(str(self.folder / f"palette_{self.name}.png"))
            palette.close()
        self.studio.leave()
        QApplication.exec()

    def run(self) -> None:
        """Run the sample for real and paint what came of it."""
        self.studio.window.resize(*self.size)
        self.studio.window.show()
        self.wait_for("_has_begun", of=self.studio)
        self.wait_for("can_run", 60)
        self.studio.session.start_run()
        self.wait_for("live", 300)
        self.wait_for("can_run", 600)
        for self.name in ("light", "dark"):
            self.studio.theme.choose(self.name)
            for page in ("evaluate", "analysis"):
                self.studio.session.show_page(page)
                self.wait(1500)
                self.take(page)
        self.studio.leave()
        QApplication.exec()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--font", default="")
    parser.add_argument("--points", type=float, default=0)
    parser.add_argument("--size", default="1280x800", metavar="WIDTHxHEIGHT")
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.real:
        os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()  # it trusts the copy it runs
    width, height = map(int, options.size.split("x"))
    camera = Camera(
        options.folder,
        dark=options.dark,
        font=options.font,
        points=options.points,
        size=(width, height),
        real=options.real,
    )
    camera.run() if options.real else camera.walk()


if __name__ == "__main__":
    main()
