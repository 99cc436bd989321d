"""A form made from settings: a control for each, of its kind, with room for what is wrong."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QSizePolicy, QWidget

from studio.ui.models.metric_settings import Kind, Setting
from studio.ui.theme import mono_font
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.picker import Choice

Control = Choice | QCheckBox | QLineEdit
_WIDTHS = {Kind.NUMBER: 18, Kind.TEXT: 40, Kind.JSON: 60}
"""How many characters a text has room for."""


class SettingsForm(QWidget):
    """Edits a few settings.  `edited` says that the user changed one."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings: tuple[Setting, ...] = ()
        self._controls: dict[str, Control] = {}
        self._wrong: dict[str, PlainLabel] = {}
        self._is_filling = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 4, 12, 8)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def control(self, name: str) -> Control:
        """The widget of a setting."""
        return self._controls[name]

    def texts(self) -> dict[str, str]:
        return {name: _text(control) for name, control in self._controls.items()}

    def show_settings(
        self,
        settings: Sequence[Setting],
        texts: Mapping[str, str],
        hints: Mapping[str, str] | None = None,
    ) -> None:
        """Show these, without `edited`; a text that is there already keeps its cursor.

        `hints` stand in empty controls.
        """
        self._is_filling = True
        if tuple(settings) != self._settings:
            self._make(tuple(settings))
        for name, control in self._controls.items():
            if _text(control) != texts[name]:
                _set_text(control, texts[name])
            if isinstance(control, QLineEdit):
                control.setPlaceholderText((hints or {}).get(name, ""))
        self._is_filling = False
        self.show_wrong({})

    def show_wrong(self, wrong: Mapping[str, str]) -> None:
        """Say below each setting what is wrong with it."""
        for name, label in self._wrong.items():
            text, control = wrong.get(name, ""), self._controls[name]
            label.setText(text)
            label.setVisible(bool(text))
            control.setAccessibleDescription(text)
            if bool(control.property("wrong")) != bool(text):
                control.setProperty("wrong", bool(text))
                control.style().polish(control)

    def set_read_only(self, *, read_only: bool) -> None:
        for control in self._controls.values():
            control.setEnabled(not read_only)

    def _make(self, settings: tuple[Setting, ...]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._settings, self._controls, self._wrong = settings, {}, {}
        for place, setting in enumerate(settings):
            control = self._control(setting)
            control.setAccessibleName(setting.label)
            label = PlainLabel(setting.label, "muted")
            label.setBuddy(control)
            wrong = PlainLabel("", "bad", wraps=True)
            wrong.hide()
            self._grid.addWidget(label, 2 * place, 0)
            self._grid.addWidget(control, 2 * place, 1, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(wrong, 2 * place + 1, 1)
            self._controls[setting.name] = control
            self._wrong[setting.name] = wrong

    def _control(self, setting: Setting) -> Control:
        match setting.kind:
            case Kind.CHOICE:
                choice = Choice()
                choice.addItems(setting.choices)
                choice.currentIndexChanged.connect(self._tell)
                return choice
            case Kind.YES_NO:
                box = QCheckBox()
                box.toggled.connect(self._tell)
                return box
            case _:
                line = QLineEdit()
                if setting.kind is Kind.JSON:
                    line.setFont(mono_font())
                line.setFixedWidth(self.fontMetrics().averageCharWidth() * _WIDTHS[setting.kind])
                line.textEdited.connect(self._tell)
                return line

    def _tell(self) -> None:
        if not self._is_filling:
            self.edited.emit()


def _text(control: Control) -> str:
    match control:
        case QLineEdit():
            return control.text()
        case QCheckBox():
            return "true" if control.isChecked() else "false"
        case _:
            return control.currentText()


def _set_text(control: Control, text: str) -> None:
    match control:
        case QLineEdit():
            control.setText(text)
        case QCheckBox():
            control.setChecked(text == "true")
        case _:
            if control.findText(text) < 0:
                control.addItem(text)  # what the file holds, right or wrong
            control.setCurrentText(text)
