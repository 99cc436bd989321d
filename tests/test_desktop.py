"""The real program on a virtual screen: it starts, runs the demo, and is seen."""

import contextlib
import os
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from studio.engine.store.reader import RunReader

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.weights,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb"),
]


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A virtual screen: its display, and the file that holds what stands on it."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24",
         "-fbdir", str(tmp_path), "-nolisten", "tcp"],
        pass_fds=[writing], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    with open(reading) as told:
        display = told.readline().strip()
    assert display, "Xvfb did not start"
    yield f":{display}", tmp_path / "Xvfb_screen0"
    server.terminate()
    server.wait()


def picture(framebuffer: Path) -> QImage:
    """What stands on the screen (an X window dump: a header, a colour map, the pixels)."""
    data = framebuffer.read_bytes()
    header = struct.unpack(">25I", data[:100])
    size, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
    pixels = data[size + 12 * colours :]
    return QImage(pixels, width, height, line, QImage.Format.Format_RGB32).copy()


def colours(image: QImage) -> set[int]:
    return {
        image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
    }


def runs(folder: Path) -> list:
    with contextlib.closing(RunReader(folder)) as reader:
        return reader.runs()


def test_the_demo_opens_a_window_and_its_run_fills_it(screen, tmp_path):
    display, framebuffer = screen
    home = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "STATE")}
    environment = os.environ | home | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    said = tmp_path / "said.txt"
    with said.open("w") as errors:
        program = subprocess.Popen(
            [sys.executable, "-m", "studio", "demo"], env=environment, stderr=errors
        )
    folder = tmp_path / "DATA" / "agent-evaluation-studio" / "sample_projects" / "metal_prices"
    try:
        deadline = time.monotonic() + 300
        while not (found := runs(folder)) or found[0].tally.done < 2:
            assert program.poll() is None, said.read_text()
            assert time.monotonic() < deadline, "the demo's run did not come on"
            time.sleep(0.5)
        shown = picture(framebuffer)
    finally:
        program.terminate()
        program.wait(30)
    shown.save(str(tmp_path / "desktop.png"))
    assert len(colours(shown)) > 8, "the screen shows no window"
    assert found[0].tally.planned == 20
