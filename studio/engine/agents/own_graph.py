"""A project's own graph: people come with agents that they already have.

``graph: my_agent.py:build`` names a function that is called once per run with a model, the tools
and the text of the prompt, and returns a LangGraph graph over `messages`.  Loading it runs the
project's code: the caller has made sure that the user trusts it.
"""

import asyncio
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from studio.engine.agents.handed import HandedModel, HandedTool
from studio.engine.agents.setup import Graph
from studio.engine.errors import RunError
from studio.engine.plain import plain_text
from studio.engine.records import Variant


async def load(folder: Path, named: str, variant: Variant) -> Graph:
    """The graph that `named` (``file.py:function``) builds for `variant`; raises RunError.

    The files are read anew each time, so that a run always uses what is on disk.
    """
    try:
        return await asyncio.to_thread(_built, folder, named, variant)
    except RunError:
        raise
    except (Exception, SystemExit) as error:  # the project's code may raise anything
        told = plain_text(f"{type(error).__name__}: {error}", 2_000)
        raise RunError(f"{named} raised {told}", "Correct the project's graph.") from error


def _built(folder: Path, named: str, variant: Variant) -> Graph:
    path, function = _place(folder.resolve(), named)
    model = HandedModel(name=variant.model.name)
    tools = [HandedTool.of(tool) for tool in variant.tool_set.tools]
    with _importable(path.parent):
        build = getattr(_module(path), function, None)
        if not callable(build):
            raise RunError(
                f"{path.name} has no function {function}.", f"Define `def {function}(...)` in it."
            )
        given = build(model, tools, variant.prompt.text)
        return _compiled(asyncio.run(given) if inspect.iscoroutine(given) else given, named)


def _place(folder: Path, named: str) -> tuple[Path, str]:
    file, _, function = named.rpartition(":")
    path = (folder / file).resolve()
    if not file or not function or not path.is_relative_to(folder):
        raise RunError(
            f"`graph: {named}` names no function of this project.",
            "Write it like `graph: my_agent.py:build`.",
        )
    if not path.is_file():
        raise RunError(f"The project has no file {file}.", f"Correct `graph: {named}`.")
    return path, function


def _compiled(graph: Any, named: str) -> Graph:
    if isinstance(graph, StateGraph):
        graph = graph.compile()
    if not isinstance(graph, CompiledStateGraph):
        raise RunError(
            f"{named} returned {type(graph).__name__}, which is no LangGraph graph.",
            "Return a StateGraph, compiled or not.",
        )
    return graph


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"project_graph_{uuid4().hex}", path)
    if spec is None or spec.loader is None:
        raise RunError(f"{path.name} is no Python file.", "Name a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    # Annotations are looked up in the module while LangGraph reads the state's type.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Modules beside the graph's file can be imported, as they are now on disk."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).is_relative_to(folder):
            del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
