"""Tool sets that are changed in the window, as the file has them afterwards."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import ProjectError, StudioError
from studio.engine.project import delete_tool_set, load, save_tool_set
from studio.engine.project.located import Mistakes
from studio.engine.project.tools_edit import edited_set
from studio.engine.project.tools_files import stated_sets
from studio.engine.records import ToolSpec
from tests.engine.project.project_folders import MakeProject

PRICE, RATE = "get_metal_price", "get_currency_exchange"
FILE = f"""\
# How the tools are told.
sets:
  # For a start.
  prices: [{PRICE}]   # one is enough

  both:
  - {PRICE}   # first
  - {RATE}

tools:
  {PRICE}: {{time_limit: 5}}   # slow
"""


def text_of(folder: Path, name: str) -> str:
    return (folder / name).read_bytes().decode()


def sets(folder: Path) -> dict[str, list[str]]:
    return {
        each.name: [tool.name for tool in each.tools] for each in load(folder).project.tool_sets
    }


def test_a_set_is_changed_in_place_and_the_rest_of_the_file_stays(make_project: MakeProject):
    folder = make_project({"tools.yaml": FILE})
    save_tool_set(folder, "prices", [RATE, PRICE], "prices")
    assert text_of(folder, "tools.yaml") == FILE.replace(
        f"prices: [{PRICE}]   #", f"prices: [{RATE}, {PRICE}] #"
    )
    assert sets(folder) == {"prices": [RATE, PRICE], "both": [PRICE, RATE]}


def test_a_new_set_follows_the_last_one(make_project: MakeProject):
    folder = make_project({"tools.yaml": FILE})
    save_tool_set(folder, "none at all", [])
    assert list(sets(folder).items())[-1] == ("none at all", [])
    assert "tools:\n  get_metal_price: {time_limit: 5}   # slow\n" in text_of(folder, "tools.yaml")


def test_a_set_that_is_renamed_keeps_its_place_its_comments_and_its_use(make_project: MakeProject):
    folder = make_project({"tools.yaml": FILE, "project.yaml": "tools: prices  # by default\n"})
    save_tool_set(folder, "only prices", [PRICE], "prices")
    assert text_of(folder, "tools.yaml") == FILE.replace(
        f"prices: [{PRICE}]   #", f"only prices: [{PRICE}] #"
    )
    assert text_of(folder, "project.yaml") == "tools: only prices # by default\n"
    assert load(folder).project.default_tool_set == "only prices"


def test_a_set_that_stands_in_no_file_can_be_written(make_project: MakeProject):
    folder = make_project()
    assert sets(folder) == {"all": [PRICE, RATE]}
    save_tool_set(folder, "all", [PRICE], "all")
    assert text_of(folder, "tools.yaml") == f"sets:\n  all: [{PRICE}]\n"
    assert sets(folder) == {"all": [PRICE]}


def test_a_set_that_stands_in_no_file_gets_another_name_by_being_written(make_project: MakeProject):
    folder = make_project()
    save_tool_set(folder, "everything", [PRICE, RATE], "all")
    assert sets(folder) == {"everything": [PRICE, RATE]}


def test_a_deleted_set_leaves_its_neighbours_and_the_last_one_leaves_all(make_project: MakeProject):
    folder = make_project({"tools.yaml": FILE})
    delete_tool_set(folder, "both")
    assert sets(folder) == {"prices": [PRICE], "all": [PRICE, RATE]}
    delete_tool_set(folder, "prices")
    assert sets(folder) == {"all": [PRICE, RATE]}
    assert load(folder).project.tool_sets[0].tools[0].time_limit == 5


def test_what_would_break_the_project_is_refused_and_nothing_is_written(make_project: MakeProject):
    folder = make_project({"tools.yaml": FILE, "project.yaml": "tools: prices\n"})
    with pytest.raises(StudioError, match="already"):
        save_tool_set(folder, "both", [PRICE], "prices")
    with pytest.raises(StudioError, match='no tool set "gone" any more'):
        save_tool_set(folder, "new", [PRICE], "gone")
    with pytest.raises(StudioError, match="default tool set"):
        delete_tool_set(folder, "prices")
    with pytest.raises(StudioError, match="stands in no file"):
        delete_tool_set(folder, "all")
    for wrong in (["get_gold"], [PRICE, PRICE]):
        with pytest.raises(ProjectError):
            save_tool_set(folder, "prices", wrong, "prices")
    with pytest.raises(ProjectError, match="no name"):
        save_tool_set(folder, " ", [PRICE])
    assert text_of(folder, "tools.yaml") == FILE


@pytest.mark.parametrize(
    "text", ["", "sets:\n", "sets: {}\n", f"{{sets: {{a: [{PRICE}]}}}}", "tools: {}\n", "# only\n"]
)
def test_a_set_is_written_into_whatever_stands_there(make_project: MakeProject, text: str):
    folder = make_project({"tools.yaml": text})
    save_tool_set(folder, "b", [RATE])
    assert sets(folder)["b"] == [RATE]
    save_tool_set(folder, "c", [RATE, PRICE], "b")
    assert "b" not in sets(folder)
    delete_tool_set(folder, "c")
    assert "c" not in sets(folder)


@pytest.mark.parametrize("name", "1 1.5 0x1f 1e3 null ~ true 2020-01-01 <<".split())
@pytest.mark.parametrize("form", ["sets:\n  {}: [{}]  # kept\n", "sets: {{{}: [{}]}}  # kept\n"])
def test_a_key_is_a_text_whatever_yaml_takes_it_for(
    make_project: MakeProject, name: str, form: str
):
    folder = make_project({"tools.yaml": form.format(name, PRICE)})
    save_tool_set(folder, name, [RATE, PRICE], name)
    assert sets(folder) == {name: [RATE, PRICE]}
    save_tool_set(folder, "a", [RATE, PRICE], name)
    assert sets(folder) == {"a": [RATE, PRICE]}
    assert text_of(folder, "tools.yaml").endswith("# kept\n")


@pytest.mark.parametrize("form", ["sets:\n  a\tb: [{}]\n", "sets: {{a\tb: [{}]}}\n"])
def test_what_cannot_be_changed_as_it_is_written_is_refused_in_words(
    make_project: MakeProject, form: str
):
    folder = make_project({"tools.yaml": form.format(PRICE)})
    with pytest.raises(StudioError, match="cannot be changed without changing more"):
        save_tool_set(folder, "c", [PRICE], "a\tb")
    assert text_of(folder, "tools.yaml") == form.format(PRICE)


TOOLS = {name: ToolSpec(name, "x", {"type": "object"}) for name in ("a", "b", "c")}
NAMES = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() == name)
HELD = st.lists(st.sampled_from(sorted(TOOLS)), unique=True)


@given(st.dictionaries(NAMES, HELD, max_size=4), NAMES, HELD)
def test_whatever_a_set_is_called_it_is_read_again_as_it_was_saved(stated, name, held):
    text = ""
    for each, tools in stated.items():
        text = edited_set(text, each, tools, None)
    replaces = next(iter(stated), None)
    text = edited_set(text, name, held, replaces if name not in stated else name)
    wanted = {
        **{(name if each == replaces and name not in stated else each): tuple(tools)
           for each, tools in stated.items()},
        name: tuple(held),
    }  # fmt: skip
    mistakes = Mistakes("tools.yaml")
    assert list(stated_sets(text, TOOLS, mistakes).items()) == list(wanted.items())
    assert not mistakes.count
