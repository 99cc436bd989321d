"""The prompts of a project: one file `prompts/NAME.md` each."""

from pathlib import Path

from studio.engine.plain import encodable, plain_text
from studio.engine.project import text_files
from studio.engine.project.located import Mistakes
from studio.engine.records import Prompt

FOLDER = "prompts"
LIMIT = text_files.MEGABYTE

_ALMOST = (".txt", ".markdown", ".mdown", ".prompt", ".j2")


def read_prompts(folder: Path) -> tuple[tuple[Prompt, ...], list[Mistakes]]:
    """All prompts in the order of their names, and what is wrong with each file."""
    whole = Mistakes(FOLDER)
    try:
        files = sorted((folder / FOLDER).iterdir())
    except FileNotFoundError:
        whole.add(0, "This folder is missing.", "Make it, with a file such as first.md in it.")
        return (), [whole]
    except OSError as error:
        whole.add(0, f"This folder cannot be read: {error.strerror or error}.")
        return (), [whole]
    prompts: list[Prompt] = []
    found = [whole]
    for path in files:
        mistakes = Mistakes(plain_text(f"{FOLDER}/{path.name}"))
        found.append(mistakes)
        if not encodable(path.name):
            mistakes.add(0, "The file's name is no UTF-8.", "Rename it.")
        elif path.suffix == ".md" and not path.name.startswith("."):
            text = read_prompt(folder, path.stem, mistakes)
            prompts += [] if text is None else [Prompt(path.stem, text)]
        elif path.suffix in _ALMOST:
            mistakes.add(0, "Prompts end in .md; this file is not read.", "Rename or move it.")
    if not prompts and not any(mistakes.count for mistakes in found):
        whole.add(0, "There is no prompt.", "Write one in a file such as prompts/first.md.")
    return tuple(prompts), found


def read_prompt(folder: Path, name: str, mistakes: Mistakes) -> str | None:
    """A prompt's text with line feeds alone as line ends, without the one that ends the file."""
    text = text_files.read(folder, f"{FOLDER}/{name}.md", mistakes, limit=LIMIT)
    if text is None:
        return None
    text = prompt_text(text)
    if not text.strip():
        mistakes.add(0, "The prompt is empty.", "Write what the agent is told to do.")
        return None
    return text


def prompt_text(text: str) -> str:
    """What the model is told of a file's text."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
