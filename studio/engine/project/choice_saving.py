"""Writes which prompt or tool set is used by default into `project.yaml`."""

from pathlib import Path

from studio.engine.project import yaml_edit
from studio.engine.project.located import Map, Mistakes, unlocated
from studio.engine.project.project_file import FILE
from studio.engine.project.writing import cannot, text_of, write
from studio.engine.project.yaml_reader import read_yaml


def choose(folder: Path, key: str, name: str) -> None:
    """Write `key: name`; the file has a line of that key.  Raises StudioError."""
    text = text_of(folder, FILE)
    top = read_yaml(text, Mistakes(FILE))
    if not isinstance(top, Map):
        raise cannot(FILE)
    if top.is_flow:
        after = yaml_edit.changed_file(text, lambda data: data.update({key: name}))
    else:
        lines = yaml_edit.split(text)
        block = yaml_edit.entry_block(lines, top, key)
        changed = yaml_edit.changed_entry(lines, block, key, name)
        after = yaml_edit.joined(text, lines, block.first, block.end, changed)
    written = read_yaml(after, Mistakes(FILE))
    if not isinstance(written, Map) or unlocated(written) != {**unlocated(top), key: name}:
        raise cannot(FILE)
    write(folder, FILE, text, after)
