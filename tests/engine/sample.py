"""A small project whose agent is played by the scripted server: one tool call, then an answer.

Every query `qN` asks what N grams cost.  The scripted model calls `price` and then always answers
"It costs 30 dollars.", which is right for every third query: scores differ, and never change.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODEL = "small:latest"
SCORED = ("answer_contains", "number_in_answer", "tool_call_accuracy", "steps", "tokens")

TOOLS = '''"""Prices, and the odd accident."""


def price(grams: int) -> int:
    """The price of some grams of gold in dollars.

    Args:
        grams: How many grams.
    """
    return 10 * grams
'''

# The price is asked for 3 grams whatever the question is: a small model at work.
RULES = [
    {"tool_results": 0, "reply": {"tool_calls": [{"name": "price", "arguments": {"grams": 3}}]}},
]
ANSWER = {"content": "It costs 30 dollars."}


def script(**changes: Any) -> dict[str, Any]:
    return {"models": [{"name": MODEL}], "rules": RULES, "default": ANSWER, **changes}


def calling(tool: str, **arguments: Any) -> dict[str, Any]:
    """A script in which the model calls that tool, and then answers."""
    call = {"name": tool, "arguments": arguments}
    return script(rules=[{"tool_results": 0, "reply": {"tool_calls": [call]}}])


def query(number: int) -> dict[str, Any]:
    expected = {
        "calls": [{"price": {"grams": number}}],
        "contains": ["dollars"],
        "number": 10 * number,
    }
    return {"id": f"q{number}", "query": f"What do {number} grams cost?", "expected": expected}


def write(
    folder: Path, address: str, *, queries: int = 6, tools: str = TOOLS, **settings: Any
) -> Path:
    """Write the project; `settings` go into its `project.yaml` (JSON is YAML)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "plain.md").write_text("You know what gold costs. Use the tools.\n")
    (folder / "tools.py").write_text(tools)
    project: Mapping[str, Any] = {
        "name": "Gold",
        "model": {"name": MODEL, "server": address},
        "metrics": list(SCORED),
        **settings,
    }
    lines = [f"{key}: {json.dumps(value)}" for key, value in project.items()]
    (folder / "project.yaml").write_text("# What runs.\n" + "\n".join(lines) + "\n")
    listed = "".join(f"{json.dumps(query(number))}\n" for number in range(queries))
    (folder / "queries.jsonl").write_text(listed)
    return folder
