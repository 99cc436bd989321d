"""The help pages in a terminal, the same that the window has under Help."""

import sys

from studio.engine.errors import StudioError
from studio.engine.metrics.help import documented, help_text
from studio.engine.project.fields import did_you_mean
from studio.resources import resource


def show_help(name: str | None) -> int:
    """Print a page, or what the page about metrics says of one; without a name, list the pages."""
    pages = {page.stem: page for page in sorted(resource("help").glob("*.md"))}
    if name is None:
        titles = {stem: _title(page.read_text("utf-8")) for stem, page in pages.items()}
        width = max(map(len, titles))
        _say("\n".join(f"{stem:{width}}  {title}" for stem, title in titles.items()))
        return 0
    if name in pages:
        _say(pages[name].read_text("utf-8").rstrip("\n"))
        return 0
    if name in documented():
        _say(f"{name}\n\n{help_text(name)}")
        return 0
    remedy = did_you_mean(name, (*pages, *documented()))
    raise StudioError(f"There is no help on {name!r}.", f"{remedy} `studio help` lists the pages.")


def _title(page: str) -> str:
    return page.partition("\n")[0].removeprefix("# ")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
