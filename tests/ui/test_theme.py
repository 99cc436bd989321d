import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from studio.ui.theme import DARK, LIGHT, Theme, Tokens


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF()]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["page", "panel", "selected", "hover"])
@pytest.mark.parametrize("colour", ["text", "muted", "accent", "good", "bad", "mark"])
def test_text_stands_out_from_its_ground(tokens: Tokens, ground: str, colour: str):
    assert contrast(getattr(tokens, colour), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_shapes_and_the_main_button_stand_out(tokens: Tokens):
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5
    for ground in (tokens.page, tokens.panel, tokens.selected):
        assert contrast(tokens.off, ground) >= 3
        assert contrast(tokens.accent, ground) >= 3


def test_the_theme_follows_the_system_until_the_user_chooses(qapp: QApplication):
    theme = Theme(qapp, "system")
    seen: list[Tokens] = []
    theme.changed.connect(seen.append)
    system = qapp.styleHints().colorSchemeChanged
    system.emit(Qt.ColorScheme.Dark)
    assert theme.tokens is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.page)
    system.emit(Qt.ColorScheme.Light)
    assert theme.tokens is LIGHT
    theme.choose("dark")
    system.emit(Qt.ColorScheme.Dark)
    system.emit(Qt.ColorScheme.Light)
    assert theme.tokens is DARK
    assert seen == [DARK, LIGHT, DARK]
    theme.choose("light")
    theme.deleteLater()


def test_an_unknown_choice_is_the_system_s(qapp: QApplication):
    theme = Theme(qapp, "purple")
    assert theme.choice == "system"
    theme.deleteLater()
