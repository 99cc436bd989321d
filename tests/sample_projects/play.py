"""Opens a copy of a test project in the window, its model played by the scripted server.

``python -m tests.sample_projects.play help_desk``; the copy is gone when the window is closed.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.ollama_fixture import ScriptedOllama

FOLDER = Path(__file__).parent
NOWHERE = "http://127.0.0.1:1"
"""What `project.yaml` names in the place of the server."""


def copy(name: str, folder: Path, address: str) -> Path:
    """A copy of the project below `folder` that asks the server at `address`."""
    project = folder / name
    shutil.copytree(FOLDER / name, project, ignore=shutil.ignore_patterns("__pycache__", ".studio"))
    file = project / "project.yaml"
    file.write_text(file.read_text("utf-8").replace(NOWHERE, address), "utf-8")
    return project


def script(name: str) -> dict[str, object]:
    """What the model of the project says."""
    return dict(json.loads((FOLDER / name / "script.json").read_text("utf-8")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", help="a folder beside this file, such as help_desk")
    name = parser.parse_args().project
    server = ScriptedOllama(script(name))
    try:
        with tempfile.TemporaryDirectory() as folder:
            project = copy(name, Path(folder), server.address)
            subprocess.run([sys.executable, "-m", "studio", "open", str(project)], check=False)
    finally:
        server.close()


if __name__ == "__main__":
    main()
