"""Project folders: files that people write, read into values, checked, and saved again.

::

    project.yaml    name, model, what is used by default, how it runs     project_file
    prompts/*.md    one system prompt each                                prompt_files
    tools.py        public functions are tools; read, never imported      tools_files
    metrics.py      functions that are metrics of its own                 own_metrics
    tools.yaml      tool sets, other words for the tools                  tools_files
    queries.yaml    or .jsonl or .csv: what is asked and expected         query_lists, query_item
    data/           whatever the tools read

`loading` puts them together, `saving` writes a part back and leaves the rest of the file alone.
Mistakes are collected (`located.Mistakes`) rather than raised: people want to see all of them.
"""

from studio.engine.project.loading import Loaded, check, load
from studio.engine.project.query_saving import delete_query, save_query
from studio.engine.project.saving import (
    delete_prompt,
    rename_prompt,
    save_criteria,
    save_prompt,
    save_tool,
)
from studio.engine.project.tool_set_saving import delete_tool_set, save_tool_set
from studio.engine.project.variants import variant

__all__ = [
    "Loaded",
    "check",
    "delete_prompt",
    "delete_query",
    "delete_tool_set",
    "load",
    "rename_prompt",
    "save_criteria",
    "save_prompt",
    "save_query",
    "save_tool",
    "save_tool_set",
    "variant",
]
