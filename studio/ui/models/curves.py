"""Shares over a few places, such as pass^k over k: what a chart draws of them."""

from typing import NamedTuple


class Point(NamedTuple):
    """A share at a place, and its interval; None where there is none."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


class Curve(NamedTuple):
    """A series: its name, the token of its colour, one point a place."""

    name: str
    token: str
    points: tuple[Point, ...]
