"""What a newcomer opens first: the help pages and the samples."""

import re
from pathlib import Path

import pytest

from studio.engine import project
from studio.ui.widgets.dialog import TextDialog
from tests.ui.conftest import MakeStudio


@pytest.mark.parametrize("page", ["projects", "metrics", "models", "windows", "figures"])
def test_no_line_of_a_help_page_is_broken(make_studio: MakeStudio, page: str):
    studio = make_studio()
    studio.actions[f"help.{page}"].trigger()
    [dialog] = studio.window.findChildren(TextDialog)
    assert not {"**", "`", "## "} & set(re.findall(r"\*\*|`|## ", dialog.text.toPlainText()))
    layout = dialog.text.document().documentLayout()
    block = dialog.text.document().firstBlock()
    while block.isValid():
        assert layout.blockBoundingRect(block).isValid()  # the layout is made when it is asked for
        assert block.layout().lineCount() == 1, block.text()
        block = block.next()


@pytest.mark.parametrize(
    ("command", "name"), [("sample", "metal_prices"), ("library", "lending_library")]
)
def test_a_sample_is_opened_as_a_copy_of_the_users_own(
    make_studio: MakeStudio, monkeypatch: pytest.MonkeyPatch, command: str, name: str
):
    studio = make_studio()
    opened: list[str] = []
    monkeypatch.setattr(studio.session, "open_project", opened.append)
    studio.actions[f"project.{command}"].trigger()
    [folder] = map(Path, opened)
    assert folder.parts[-2:] == ("sample_projects", name)
    assert not folder.is_relative_to(Path(project.__file__).parents[3])
    assert project.check(folder) == ()
