"""Small project folders, written as people write them."""

from collections.abc import Callable
from pathlib import Path

TOOLS = '''\
def get_metal_price(metal_name: str) -> float:
    """The price of a metal in US dollars per gram.

    Args:
        metal_name: The metal, such as gold.
    """
    return {"gold": 88.1553}[metal_name]


def get_currency_exchange(base: str, target: str) -> float:
    """The rate from one currency to another."""
    return 0.8


def _hidden() -> None:
    raise SystemExit
'''
QUERIES = """\
# What we ask.
- id: gold-eur
  query: What does a gram of gold cost in euros?
  expected:
    calls:
    - get_metal_price: {metal_name: gold}
    - {name: get_currency_exchange, arguments: {base: USD, target: EUR}}
    contains: [gold, EUR]
    number: 70.52424  # 88.1553 * 0.8
    unit: EUR
  tags: [gold, euro]

- query: How are you?
  expected: {calls: []}
"""
FILES = {
    "project.yaml": "name: Metals\n",
    "prompts/first.md": "Answer the question.\n",
    "tools.py": TOOLS,
    "queries.yaml": QUERIES,
}

MakeProject = Callable[..., Path]


def write_project(folder: Path, files: dict[str, str | bytes | None]) -> Path:
    for name, content in {**FILES, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            path.write_bytes(data)
    return folder
