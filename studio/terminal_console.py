"""A console of a terminal in which no text steers anything."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from typing_extensions import override

from studio.terminal_text import visible


class PlainConsole(Console):
    """A console that prints every text as `visible` leaves it: names come from projects too."""

    @override
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)
