"""Chooses among the parts of a project: one prompt, one tool set, one model."""

from collections.abc import Iterable
from typing import TypeVar

from studio.engine.errors import RunError
from studio.engine.project.fields import did_you_mean
from studio.engine.records import ModelSpec, Project, Prompt, ToolSet, Variant

_Part = TypeVar("_Part", Prompt, ToolSet, ModelSpec)


def variant(
    project: Project,
    *,
    prompt: str | None = None,
    tool_set: str | None = None,
    model: str | None = None,
) -> Variant:
    """The variant with the named parts, the project's defaults for those not named.

    Raises RunError where the project has no part of that name.
    """
    chosen_prompt = _named("prompt", prompt or project.default_prompt, project.prompts)
    chosen_set = _named("tool set", tool_set or project.default_tool_set, project.tool_sets)
    chosen_model = _named("model", model or project.default_model, project.models)
    return Variant(
        name=f"{chosen_prompt.name} · {chosen_set.name} · {chosen_model.name}",
        prompt=chosen_prompt,
        tool_set=chosen_set,
        model=chosen_model,
        architecture=project.architecture,
        step_cap=project.step_cap,
    )


def _named(what: str, name: str, parts: Iterable[_Part]) -> _Part:
    by_name = {part.name: part for part in parts}
    if name in by_name:
        return by_name[name]
    raise RunError(f"The project has no {what} {name}.", did_you_mean(name, by_name))
