"""Whether there is a screen to open a window on."""

import os
import sys

_NAMES_ONE = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def need_screen() -> None:
    """Raise StudioError where there is none: Qt would end the program with advice that misleads."""
    if not sys.platform.startswith("linux") or any(map(os.environ.get, _NAMES_ONE)):
        return
    # Loaded only here: nothing that the first paint can do without is loaded before it.
    from studio.engine.errors import StudioError

    raise StudioError(
        "There is no screen to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.",
        "Set it, or stay in the terminal: `studio demo --headless`, `studio run PROJECT`.",
    )
