"""`studio help`: the pages that the window shows, without the window."""

import pytest

from studio.engine.errors import StudioError
from studio.resources import resource
from studio.terminal_help import show_help

PAGES = [page.stem for page in resource("help").glob("*.md")]


def test_every_page_is_listed_by_its_heading(capsys):
    assert show_help(None) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == sorted(PAGES)
    assert "projects              Files of a project" in listed


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_printed_as_it_is(page, capsys):
    assert show_help(page) == 0
    assert capsys.readouterr().out == resource(f"help/{page}.md").read_text("utf-8")


def test_a_metric_has_its_section(capsys):
    assert show_help("number_in_answer") == 0
    told = capsys.readouterr().out
    assert told.startswith("number_in_answer\n\n- **Question:** Does the answer give")
    assert "exact_match\n" not in told


def test_what_there_is_no_help_on_is_told_with_what_may_be_meant():
    with pytest.raises(StudioError, match="no help on 'figure'") as caught:
        show_help("figure")
    assert caught.value.remedy == "Did you mean figures? `studio help` lists the pages."
