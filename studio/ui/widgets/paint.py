"""Painting that delegates share: badges, signs of standing, text cut to its place."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
)

from studio.ui.theme import Tokens

_PAD = 6
_SEEN = 400
GAP = 6


def elided(
    painter: QPainter, area: QRect, text: str, colour: str, *, keeps_end: bool = False
) -> int:
    """Draw one line of text, cut with … where `area` ends; the width it took."""
    if area.width() <= 0 or not text:
        return 0
    metrics = painter.fontMetrics()
    shown = cut(metrics, text, area.width(), keeps_end=keeps_end)
    painter.setPen(QColor(colour))
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)


def cut(metrics: QFontMetrics, text: str, width: int, *, keeps_end: bool) -> str:
    """What fits of a line of text; `keeps_end` cuts its middle, for texts that begin alike."""
    # A long text is cut before it is measured: only its ends can be seen.
    if not keeps_end:
        return metrics.elidedText(text[:_SEEN], Qt.TextElideMode.ElideRight, width)
    if len(text) > _SEEN:
        text = f"{text[: _SEEN // 2]}…{text[-_SEEN // 2 :]}"
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)


def badge_width(font: QFont, word: str) -> int:
    return QFontMetrics(font).horizontalAdvance(word) + 2 * _PAD


def badge(painter: QPainter, area: QRect, word: str, colour: str, tokens: Tokens) -> int:
    """Draw a badge at the left of `area`; the width it took, 0 if it has no room."""
    width = badge_width(painter.font(), word)
    if width > area.width():
        return 0
    height = painter.fontMetrics().height() + 2
    box = QRectF(area.left() + 0.5, area.center().y() - height / 2 + 0.5, width, height)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.line), 1))
    painter.setBrush(QColor(tokens.panel))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(colour))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, word)
    return width


def sign(painter: QPainter, centre: QPointF, shape: str, colour: str) -> None:
    """A small sign: "disc", "diamond", "ring", "bar" or "half"; each can be told without colour."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1.5))
    painter.setBrush(QColor(colour))
    radius = 4.0
    match shape:
        case "diamond":
            x, y, r = centre.x(), centre.y(), radius + 0.5
            corners = [QPointF(x, y - r), QPointF(x + r, y), QPointF(x, y + r), QPointF(x - r, y)]
            painter.drawPolygon(QPolygonF(corners))
        case "ring":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, radius - 0.5, radius - 0.5)
        case "bar":
            painter.drawRect(QRectF(centre.x() - radius, centre.y() - 1, 2 * radius, 2))
        case "half":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, radius - 0.5, radius - 0.5)
            painter.setBrush(QColor(colour))
            box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
            painter.drawPie(box, 90 * 16, 180 * 16)
        case _:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(centre, radius, radius)


def sign_icon(shape: str, colour: str) -> QIcon:
    """A sign as an icon, sharp at up to 300 %."""
    side, scale = 14, 3
    picture = QPixmap(side * scale, side * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    sign(painter, QPointF(side / 2, side / 2), shape, colour)
    painter.end()
    return QIcon(picture)
