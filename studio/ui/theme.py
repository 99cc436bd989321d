"""The look: colours named by what they mean, light and dark, and the style sheet made of them."""

from string import Template
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from studio.resources import resource

if TYPE_CHECKING:
    from PySide6.QtCore import Qt

CHOICES = ("system", "light", "dark")


class Tokens(NamedTuple):
    """Colours as `#rrggbb`.  Text and verdict colours keep 4.5 : 1 on page, panel and selected.

    `off` is for shapes of what was not scored (3 : 1), never for text.
    """

    page: str
    panel: str
    line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    good: str
    bad: str
    mark: str
    off: str
    selected: str
    hover: str


LIGHT = Tokens(
    page="#f6f7f9", panel="#ffffff", line="#e1e4ea", text="#1c2330", muted="#5c6579",
    accent="#2563d9", on_accent="#ffffff", good="#157a4c", bad="#bb2f33", mark="#8f5c10",
    off="#7f899b", selected="#e8f0fe", hover="#eef1f6",
)  # fmt: skip
DARK = Tokens(
    page="#15181e", panel="#1c2028", line="#2c323d", text="#e4e8f0", muted="#98a2b5",
    accent="#6ea2ff", on_accent="#10151f", good="#4cc38a", bad="#ff7b7f", mark="#e5b454",
    off="#7d889c", selected="#24324d", hover="#262c37",
)  # fmt: skip


class Theme(QObject):
    """Dresses the application, and again whenever the system or the user changes the scheme."""

    changed = Signal(object)
    """The new Tokens: charts and delegates that paint by themselves paint again."""

    def __init__(self, app: QApplication, choice: str = "system") -> None:
        super().__init__(app)
        self._app = app
        self._hints = app.styleHints()
        self._choice = choice if choice in CHOICES else "system"
        # The platform's palette tells what QStyleHints.colorScheme would, and sooner: asking that
        # for the first time costs a tenth of the start.
        self._system_is_dark = app.palette().window().color().lightness() < 128
        app.setFont(_with_tabular_figures(app.font()))
        self.tokens = self._wanted()
        self._dress()
        self._hints.colorSchemeChanged.connect(self._system_changed)

    @property
    def choice(self) -> str:
        """The user's choice: "system", "light" or "dark"."""
        return self._choice

    @property
    def is_dark(self) -> bool:
        return self.tokens is DARK

    def choose(self, choice: str) -> None:
        self._choice = choice if choice in CHOICES else "system"
        self._refresh()

    def _wanted(self) -> Tokens:
        is_dark = self._system_is_dark if self._choice == "system" else self._choice == "dark"
        return DARK if is_dark else LIGHT

    def _system_changed(self, scheme: "Qt.ColorScheme") -> None:
        self._system_is_dark = scheme.name == "Dark"
        self._refresh()

    def _refresh(self) -> None:
        tokens = self._wanted()
        if tokens is not self.tokens:
            self.tokens = tokens
            self._dress()
            self.changed.emit(tokens)

    def _dress(self) -> None:
        self._app.setPalette(_palette(self.tokens))
        self._app.setStyleSheet(_style_sheet(self.tokens, text_height(self._app.font())))


def text_height(font: QFont) -> int:
    """The font's size in pixels, whatever unit it was given in."""
    return max(9, QFontInfo(font).pixelSize())


def mono_font() -> QFont:
    """The system's fixed-width font, a little smaller than the text around it."""
    from PySide6.QtGui import QFontDatabase

    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(max(9, text_height(QApplication.font()) - 1))
    return font


def _with_tabular_figures(font: QFont) -> QFont:
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _style_sheet(tokens: Tokens, height: int) -> str:
    sizes = {
        "small": f"{height - 1}px",
        "big": f"{round(height * 1.5)}px",
        "row": f"{height + 9}px",
        "tick": f"{round(height * 0.7)}px",
    }
    source = resource("theme/studio.qss").read_text(encoding="utf-8")
    return Template(source).substitute(tokens._asdict(), **sizes)


def _palette(tokens: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for name, colour in (
        (role.Window, tokens.page),
        (role.WindowText, tokens.text),
        (role.Base, tokens.panel),
        (role.AlternateBase, tokens.page),
        (role.Text, tokens.text),
        (role.Button, tokens.panel),
        (role.ButtonText, tokens.text),
        (role.Highlight, tokens.selected),
        (role.HighlightedText, tokens.text),
        (role.PlaceholderText, tokens.muted),
        (role.ToolTipBase, tokens.panel),
        (role.ToolTipText, tokens.text),
        (role.Link, tokens.accent),
        (role.Light, tokens.panel),
        (role.Midlight, tokens.hover),
        (role.Mid, tokens.line),
        (role.Dark, tokens.line),
        (role.Accent, tokens.accent),
    ):
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.off))
    return palette
