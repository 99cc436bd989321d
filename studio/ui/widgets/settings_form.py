"""A form made from settings: a control for each, of its kind, with room for what is wrong."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from studio.ui.models.metric_settings import Kind, Setting
from studio.ui.text import plain
from studio.ui.theme import mono_font
from studio.ui.widgets.label import PlainLabel
from studio.ui.widgets.named_numbers import NamedNumbers
from studio.ui.widgets.picker import Choice

Control = Choice | QCheckBox | QLineEdit | QPlainTextEdit | NamedNumbers
_WIDTHS = {Kind.NUMBER: 18, Kind.TEXT: 40}
"""How many characters a text has room for."""
_ANY, _LEFT, _TOP = Qt.AlignmentFlag(0), Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignTop


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

    @override
    def sizeHint(self) -> QSize:
        """As high as what is said to be wrong needs, which wraps."""
        size = super().sizeHint()
        return QSize(size.width(), max(size.height(), self.heightForWidth(self.width())))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

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
        """Show these, without `edited`; what means the same already keeps its words and cursor.

        `hints` stand in empty controls.
        """
        self._is_filling = True
        if is_new := tuple(settings) != self._settings:
            self._make(tuple(settings))
        for setting in self._settings:
            name, control = setting.name, self._controls[setting.name]
            if is_new or setting.value(_text(control)) != setting.value(texts[name]):
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
            is_tall = setting.kind in (Kind.JSON, Kind.NAMED)
            self._grid.addWidget(label, 2 * place, 0, _TOP if is_tall else _ANY)
            self._grid.addWidget(control, 2 * place, 1, _ANY if is_tall else _LEFT)
            self._grid.addWidget(wrong, 2 * place + 1, 1)
            self._controls[setting.name] = control
            self._wrong[setting.name] = wrong

    def _control(self, setting: Setting) -> Control:
        match setting.kind:
            case Kind.CHOICE:
                choice = Choice()
                for each in setting.choices:
                    choice.addItem(each.replace("_", " "), each)
                choice.currentIndexChanged.connect(self._tell)
                return choice
            case Kind.YES_NO:
                box = QCheckBox()
                box.toggled.connect(self._tell)
                return box
            case Kind.NAMED:
                table = NamedNumbers(setting.names)
                table.edited.connect(self._tell)
                return table
            case Kind.JSON:
                editor = JsonEdit()
                editor.textChanged.connect(self._tell)
                return editor
            case _:
                line = QLineEdit()
                line.setFixedWidth(self.fontMetrics().averageCharWidth() * _WIDTHS[setting.kind])
                line.textEdited.connect(self._tell)
                return line

    def _tell(self) -> None:
        if not self._is_filling:
            self.edited.emit()


class JsonEdit(QPlainTextEdit):
    """An editor as high as its text, of a few lines at most."""

    _MOST = 7

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(mono_font())
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        lines = min(self._MOST, max(1, self.blockCount()))
        margins = 2 * round(self.document().documentMargin()) + 12
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + margins)


def _text(control: Control) -> str:
    match control:
        case QLineEdit() | NamedNumbers():
            return control.text()
        case QPlainTextEdit():
            return control.toPlainText()
        case QCheckBox():
            return "true" if control.isChecked() else "false"
        case _:
            return str(control.currentData())


def _set_text(control: Control, text: str) -> None:
    match control:
        case QLineEdit():
            control.setText(text)
        case QPlainTextEdit():
            control.setPlainText(text)
        case NamedNumbers():
            control.set_text(text)
        case QCheckBox():
            control.setChecked(text == "true")
        case _:
            if control.findData(text) < 0:
                control.addItem(plain(text), text)  # what the file holds, right or wrong
            control.setCurrentIndex(control.findData(text))
