"""A project in a terminal: what is wrong with its files, what was run of it."""

import contextlib
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from studio.engine import project
from studio.engine.models.budget import budget
from studio.engine.models.estimate import longest
from studio.engine.store import opening
from studio.engine.store.reader import RunReader
from studio.engine.store.rows import RunRow
from studio.terminal_console import PlainConsole
from studio.terminal_runs import changed_since, stored_runs
from studio.terminal_tables import show_table


def check_project(folder: Path) -> int:
    """List every mistake in a project's files; 0 when there is none."""
    console = PlainConsole()
    folder = folder.resolve()
    problems = project.check(folder)
    for problem in problems:
        console.print(escape(str(problem)))
    if problems:
        return 1
    console.print(f"{escape(folder.name)}: nothing is wrong.")
    _show_budget(console, project.load(folder))
    path = opening.runs_file(folder)
    if not opening.is_older(path):  # checking writes nothing
        with contextlib.closing(RunReader(path)) as reader:
            _say_changed(console, changed_since(reader, folder))
    return 0


def _say_changed(console: Console, line: str) -> None:
    if line:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _show_budget(console: Console, loaded: project.Loaded) -> None:
    """About how the window is filled when a trial of the default variant begins."""
    variant = project.variant(loaded.project)
    query = longest(query.text for query in loaded.queries)
    found = budget(variant.prompt.text, variant.tool_set.tools, query, variant.model)
    console.print(
        f"When a trial of {variant.name} begins, about {found.total:,} of the window's "
        f"{found.window:,} tokens are taken: prompt {found.system:,}, tools {found.tools:,}, "
        f"longest query {found.query:,}, kept for the reply {found.reply:,}.",
        markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip
    if found.left < 0:
        console.print("That does not fit: raise num_ctx, or shorten the prompt or the tools.")


def list_runs(folder: Path) -> int:
    """List the stored runs of a project, the newest first."""
    console = PlainConsole()
    with stored_runs(folder) as reader:
        rows = [
            (
                str(run.id),
                run.plan.variant.name,
                _where(run),
                run.ending or "not ended",
                f"{run.tally.done:,}",
                f"{run.tally.planned:,}",
            )
            for run in reader.runs()
        ]
        changed = changed_since(reader, folder)
    if not rows:
        console.print("This project has no runs yet.")
    show_table(
        console,
        ("Run", "Variant", "Server", "Ending", "Trials done", "Planned"),
        rows,
        numbers=("Trials done", "Planned"),
    )
    _say_changed(console, changed)
    return 0


def _where(run: RunRow) -> str:
    """The server of a run, or how many there were."""
    servers = run.shared
    return servers[0].name if len(servers) == 1 else f"{len(servers)} servers"
