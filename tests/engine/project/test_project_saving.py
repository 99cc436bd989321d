"""Saving a part of a project: what was not edited stays byte for byte as it was."""

import os
import resource
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from studio.engine.errors import ProjectError, StudioError
from studio.engine.project import (
    delete_prompt,
    delete_query,
    load,
    rename_prompt,
    save_prompt,
    save_query,
    save_tool,
)
from studio.engine.records import Expected, ExpectedCall, Instruction, Query
from tests.engine.project.project_folders import QUERIES, MakeProject, write_project


def text_of(folder: Path, name: str = "queries.yaml") -> str:
    return (folder / name).read_bytes().decode()


def test_a_query_is_changed_in_place_and_nothing_else_is(make_project: MakeProject):
    folder = make_project()
    query = load(folder).queries[0]
    expected = replace(query.expected, number=71.5)
    save_query(folder, replace(query, text="Gold: how much?", expected=expected), query.id)
    changed = QUERIES.replace("What does a gram of gold cost in euros?", "'Gold: how much?'")
    old, new = "number: 70.52424  # 88", "number: 71.5      # 88"
    assert text_of(folder) == changed.replace(old, new)


def test_saving_a_query_that_was_not_changed_writes_nothing(make_project: MakeProject):
    folder = make_project({"queries.yaml": QUERIES.replace("gold, EUR", " gold ,EUR ")})
    before = (folder / "queries.yaml").stat()
    for query in load(folder).queries:
        save_query(folder, query, query.id)
    after = (folder / "queries.yaml").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_new_query_is_written_as_a_person_would(make_project: MakeProject):
    folder = make_project()
    call = ExpectedCall("get_metal_price", {"metal_name": "gold"})
    expected = Expected((call,), ("gold", "007", "yes"), 5.0, "EUR")
    save_query(folder, Query("", "What now?\nAnd then?", expected, ("new",)))
    assert text_of(folder) == QUERIES + (
        "\n- query: |-\n"
        "    What now?\n"
        "    And then?\n"
        "  expected:\n"
        "    calls:\n"
        "    - get_metal_price: {metal_name: gold}\n"
        "    contains: [gold, '007', yes]\n"
        "    number: 5\n"
        "    unit: EUR\n"
        "  tags: [new]\n"
    )
    assert load(folder).queries[2].expected == expected


def test_a_query_whose_text_changes_keeps_its_id(make_project: MakeProject):
    folder = make_project()
    query = load(folder).queries[1]
    save_query(folder, replace(query, text="Are you well?"), query.id)
    assert [each.id for each in load(folder).queries] == ["gold-eur", query.id]
    assert f"- id: {query.id}\n  query: Are you well?\n" in text_of(folder)


def test_a_deleted_query_leaves_its_neighbours_as_they_were(make_project: MakeProject):
    folder = make_project()
    delete_query(folder, "gold-eur")
    assert text_of(folder) == ("# What we ask.\n- query: How are you?\n  expected: {calls: []}\n")
    with pytest.raises(StudioError, match="This is the only query"):
        delete_query(folder, load(folder).queries[0].id)


def test_a_list_that_is_indented_and_ends_without_a_line_end_is_edited(make_project: MakeProject):
    text = (
        "---\n  - query: One?   # first\n    tags:\n      - a\n      - b\n\n  # about two\n  - Two?"
    )
    folder = make_project({"queries.yaml": text})
    one, two = load(folder).queries
    save_query(folder, replace(one, tags=("a", "c"), text="Uno?"), one.id)
    save_query(folder, replace(two, text="Due?"), two.id)
    save_query(folder, Query("three", "Three?"))
    assert text_of(folder) == (
        "---\n"
        f"  - id: {one.id}\n"
        "    query: Uno?   # first\n"
        "    tags: [a, c]\n"
        "\n"
        "  # about two\n"
        f"  - id: {two.id}\n"
        "    query: Due?\n"
        "\n"
        "  - id: three\n"
        "    query: Three?\n"
    )


def test_a_list_in_brackets_is_rewritten_as_a_whole(make_project: MakeProject):
    folder = make_project({"queries.yaml": "[{query: One?}, {query: Two?, tags: [a]}] # all\n"})
    one, two = load(folder).queries
    save_query(folder, replace(two, text="Due?"), two.id)
    save_query(folder, Query("three", "Three?"))
    delete_query(folder, one.id)
    assert [(each.id, each.text) for each in load(folder).queries] == [
        (two.id, "Due?"),
        ("three", "Three?"),
    ]
    assert "# all" in text_of(folder)


def test_line_ends_and_the_byte_order_mark_are_kept(make_project: MakeProject):
    text = "\ufeff" + QUERIES.replace("\n", "\r\n")
    folder = make_project({"queries.yaml": text})
    query = load(folder).queries[0]
    save_query(folder, replace(query, tags=("gold",)), query.id)
    assert text_of(folder) == text.replace("[gold, euro]", "[gold]")


def test_a_line_of_json_is_changed_and_the_others_stay(make_project: MakeProject):
    text = '{"tags":["x"],"query":"One?"}\r\n\r\n{ "query" : "Two\u2028?" }\n{"query": "Three?"}'
    folder = make_project({"queries.yaml": None, "queries.jsonl": text})
    one, two, three = load(folder).queries
    save_query(folder, replace(one, expected=Expected(contains=("é",))), one.id)
    save_query(folder, Query("four", "Four?"))
    delete_query(folder, three.id)
    assert text_of(folder, "queries.jsonl") == (
        '{"tags":["x"],"query":"One?","expected":{"contains":["é"]}}\r\n'
        "\r\n"
        '{ "query" : "Two\u2028?" }\n'
        '{"id": "four", "query": "Four?"}\r\n'
    )
    assert load(folder).queries[1] == two


def test_a_row_of_csv_is_changed_and_the_others_stay(make_project: MakeProject):
    text = 'Query;contains\r\n"One\n?";  a ;\r\n'.replace(";\r\n", "\r\n") + "Two?;'b'\r\n"
    folder = make_project({"queries.yaml": None, "queries.csv": text})
    one, two = load(folder).queries
    call = ExpectedCall("get_metal_price", {"metal_name": "gold"})
    save_query(folder, replace(two, expected=Expected((call,), ("b;c",), 1.5)), two.id)
    save_query(folder, Query("", "Three\r?"))
    assert text_of(folder, "queries.csv") == (
        "Query;contains;calls;number\r\n"
        '"One\n?";  a \r\n'
        'Two?;"[""b;c""]";"[{""get_metal_price"": {""metal_name"": ""gold""}}]";1.5\r\n'
        '"Three\r?";"";"";""\r\n'
    )
    delete_query(folder, one.id)
    assert [query.text for query in load(folder).queries] == ["Two?", "Three\r?"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (Query("a", " "), "query is blank"),
        (Query("gold-eur", "x"), "is taken"),
        (Query("a", "x", Expected((ExpectedCall("get_gold"),))), 'There is no tool "get_gold"'),
        (Query("a", "x", Expected(number=float("inf"))), "not JSON compliant"),
        (Query("a", "x", Expected(unit="EUR")), "there is no number"),
        (Query("a", "half \ud800"), "surrogates not allowed"),
        (Query("a", "x", Expected((ExpectedCall("get_metal_price", {"metal_name": 2**70}),))), ""),
    ],
)
def test_a_query_that_could_not_be_read_again_is_refused_and_nothing_is_written(
    make_project: MakeProject, query: Query, told: str
):
    folder = make_project()
    with pytest.raises(ProjectError) as caught:
        save_query(folder, query)
    assert told in str(caught.value)
    assert text_of(folder) == QUERIES


def test_a_query_that_is_gone_is_told(make_project: MakeProject):
    folder = make_project()
    with pytest.raises(StudioError, match="There is no query"):
        save_query(folder, Query("a", "x"), "gone")
    with pytest.raises(StudioError, match="There is no query"):
        delete_query(folder, "gone")


WORDS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5) | FLOATS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
CALL = st.builds(
    ExpectedCall,
    st.sampled_from(("a", "name", "-")),
    st.dictionaries(WORDS, VALUES, max_size=2),
)
STATED = st.builds(
    Expected,
    calls=st.none() | st.lists(CALL, max_size=2).map(tuple),
    contains=st.none() | st.lists(WORDS, min_size=1, max_size=2).map(tuple),
    number=st.none() | FLOATS,
    answers=st.none() | st.just(("a;b", "c")),
    pattern=st.none() | st.just("[a-z]+: x"),
    instructions=st.none() | st.just((Instruction("a:b", {"c": 1}), Instruction("d"))),
    documents=st.none() | st.just({"a": 1.0, "b": 0.5}),
)
ASKED = st.builds(Query, st.just(""), WORDS, STATED, st.lists(WORDS, max_size=2).map(tuple))
LISTS = {
    "queries.yaml": (
        "# top\n- query: One?\n  tags:\n    - a # why\n    - b\n\n# two\n- {query: Two?}\n"
    ),
    "queries.yaml ": "[{query: One?, tags: [a, b]}, {query: Two?}]\n",
    "queries.jsonl": '{"query": "One?", "tags": ["a", "b"]}\n{"query": "Two?"}\n',
    "queries.csv": "query,tags\nOne?,a; b\nTwo?\n",
}
GRAPH = {"project.yaml": "agent: {graph: 'agent.py:build'}", "agent.py": "def build(): ..."}


@pytest.mark.parametrize("name", LISTS)
@settings(deadline=None, max_examples=30)
@given(changed=ASKED, added=ASKED)
def test_what_is_saved_is_what_is_read_again(name: str, changed: Query, added: Query):
    with tempfile.TemporaryDirectory() as place:
        files = {**GRAPH, "tools.py": None, "queries.yaml": None, name.strip(): LISTS[name]}
        folder = write_project(Path(place), files)
        one, two = load(folder).queries
        changed, added = replace(changed, id="one"), replace(added, id="added")
        assume(name != "queries.csv" or "\\x00" not in f"{changed}{added}")
        save_query(folder, changed, one.id)
        save_query(folder, added)
        assert list(map(repr, load(folder).queries)) == list(map(repr, (changed, two, added)))
        save_query(folder, replace(one, id=changed.id), changed.id)
        delete_query(folder, "added")
        assert load(folder).queries == (replace(one, id=changed.id), two)


def test_a_prompt_is_saved_with_the_line_ends_it_had(make_project: MakeProject):
    folder = make_project({"prompts/first.md": "One.\r\nTwo.\r\n"})
    save_prompt(folder, "first", "One.\nThree.\n")
    assert text_of(folder, "prompts/first.md") == "One.\r\nThree.\r\n\r\n"
    save_prompt(folder, "zweite Fassung", "Neu.")
    assert [(each.name, each.text) for each in load(folder).project.prompts] == [
        ("first", "One.\nThree.\n"),
        ("zweite Fassung", "Neu."),
    ]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../a", "a\\b", ".hidden", "a.", " a", "a\n", "a:b", "x" * 121]
)
def test_a_prompt_gets_no_name_that_is_no_file(make_project: MakeProject, name: str):
    folder = make_project()
    with pytest.raises(StudioError, match="cannot be the name of a file"):
        save_prompt(folder, name, "x")
    assert [path.name for path in (folder / "prompts").iterdir()] == ["first.md"]


def test_an_empty_prompt_is_refused(make_project: MakeProject):
    folder = make_project()
    with pytest.raises(ProjectError, match="The prompt is empty"):
        save_prompt(folder, "first", "\n ")
    assert load(folder).project.prompts[0].text == "Answer the question."


def test_the_last_and_the_default_prompt_are_kept(make_project: MakeProject):
    folder = make_project()
    with pytest.raises(StudioError, match="first is the only prompt"):
        delete_prompt(folder, "first")
    folder = make_project({"project.yaml": "prompt: second", "prompts/second.md": "x"})
    with pytest.raises(StudioError, match="second is the project's default prompt"):
        delete_prompt(folder, "second")
    delete_prompt(folder, "first")
    assert [each.name for each in load(folder).project.prompts] == ["second"]


TOOLS_YAML = """\
# How the tools are told.
sets:
  prices: [get_metal_price]   # one is enough

tools:
  # The first.
  get_metal_price:
    description: Prices.   # short
    time_limit: 5
"""


def test_a_tool_is_changed_in_place_and_only_what_differs_from_the_code_is_written(
    make_project: MakeProject,
):
    folder = make_project({"tools.yaml": TOOLS_YAML})
    price, rate = load(folder).project.tool_sets[1].tools
    save_tool(folder, replace(price, description="Prices of metals."))
    save_tool(folder, replace(rate, time_limit=2.5))
    changed = TOOLS_YAML.replace("Prices.  ", "Prices of metals.")
    assert text_of(folder, "tools.yaml") == (
        changed + "  get_currency_exchange:\n    time_limit: 2.5\n"
    )


def test_a_tool_that_is_as_in_the_code_again_is_no_longer_written(make_project: MakeProject):
    folder = make_project()
    price, rate = load(folder).project.tool_sets[0].tools
    parameters = {**price.parameters, "description": "x"}
    save_tool(folder, replace(price, parameters=parameters))
    save_tool(folder, replace(rate, description="Rates."))
    assert load(folder).project.tool_sets[0].tools[0].parameters == parameters
    save_tool(folder, price)
    assert text_of(folder, "tools.yaml") == (
        "tools:\n  get_currency_exchange:\n    description: Rates.\n"
    )


@pytest.mark.parametrize(
    "text", ["tools:\n", "tools: {}\n", "{tools: {get_metal_price: {time_limit: 3}}}", "sets: {}\n"]
)
def test_a_tool_is_written_into_whatever_stands_there(make_project: MakeProject, text: str):
    folder = make_project({"tools.yaml": text})
    price = replace(load(folder).project.tool_sets[0].tools[0], time_limit=7.0)
    save_tool(folder, price)
    assert load(folder).project.tool_sets[0].tools[0] == price


def test_a_tool_whose_function_is_not_there_is_refused(make_project: MakeProject):
    folder = make_project()
    tool = replace(load(folder).project.tool_sets[0].tools[0], name="other")
    with pytest.raises(ProjectError, match="has no tool"):
        save_tool(folder, tool)
    assert not (folder / "tools.yaml").exists()


def test_a_file_with_mistakes_is_not_saved_over(make_project: MakeProject):
    folder = make_project({"queries.yaml": "- query: [\n"})
    with pytest.raises(ProjectError):
        save_query(folder, Query("a", "x"))
    assert text_of(folder) == "- query: [\n"


@contextmanager
def full_disk(limit: int) -> Iterator[None]:
    """No file of ours may grow beyond `limit` bytes, as on a disk without room."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_the_old_file_whole(make_project: MakeProject):
    folder = make_project()
    with full_disk(1000), pytest.raises(StudioError, match="no room left on the disk"):
        save_query(folder, Query("a", "long " * 1000))
    assert text_of(folder) == QUERIES
    assert sorted(path.name for path in folder.iterdir()) == [
        "project.yaml", "prompts", "queries.yaml", "tools.py",
    ]  # fmt: skip


@contextmanager
def as_another_user() -> Iterator[None]:
    """As a user to whom the permissions of files mean something, which to root they do not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_is_told_and_the_old_file_stays():
    place = Path(tempfile.mkdtemp())
    folder = write_project(place / "metals", {})
    try:
        for path in (place, folder, folder / "prompts"):
            path.chmod(0o555)
        with as_another_user():
            for save in (
                lambda: save_query(folder, Query("a", "x")),
                lambda: save_prompt(folder, "first", "x"),
                lambda: save_prompt(folder, "new", "x"),
            ):
                with pytest.raises(StudioError, match="may not be written"):
                    save()
        assert text_of(folder) == QUERIES
    finally:
        for path in (place, folder, folder / "prompts"):
            path.chmod(0o755)
        shutil.rmtree(place)


def test_a_write_protected_file_is_not_replaced_though_its_folder_may_be_written():
    place = Path(tempfile.mkdtemp())
    folder = write_project(place / "metals", {})
    try:
        for path in (place, folder):
            path.chmod(0o777)
        (folder / "queries.yaml").chmod(0o444)
        with as_another_user(), pytest.raises(StudioError, match=r"The file .* may not be written"):
            save_query(folder, Query("a", "x"))
        assert text_of(folder) == QUERIES
    finally:
        shutil.rmtree(place)


def test_permissions_and_links_inside_the_folder_are_kept(make_project: MakeProject):
    folder = make_project()
    (folder / "data").mkdir()
    (folder / "queries.yaml").rename(folder / "data" / "list.yaml")
    (folder / "queries.yaml").symlink_to("data/list.yaml")
    (folder / "data" / "list.yaml").chmod(0o640)
    save_query(folder, Query("a", "x"))
    assert (folder / "queries.yaml").is_symlink()
    assert stat.S_IMODE((folder / "data" / "list.yaml").stat().st_mode) == 0o640
    assert load(folder).queries[2].id == "a"


def test_nothing_is_written_through_a_link_that_leads_out(
    make_project: MakeProject, tmp_path: Path
):
    folder = make_project()
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("mine")
    (folder / "prompts" / "second.md").symlink_to(elsewhere)
    with pytest.raises(ProjectError, match="leads out of the project folder"):
        save_prompt(folder, "second", "x")
    assert elsewhere.read_text() == "mine"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("prompt: refined  # the better one", "prompt: sharper  # the better one"),
        ("prompt: 'refined'", "prompt: 'sharper'"),
        ("prompt: first", "prompt: first"),
        ("# nothing", "# nothing"),
    ],
)
def test_a_renamed_prompt_is_followed_by_the_project_file(
    make_project: MakeProject, before: str, after: str
):
    folder = make_project()
    (folder / "prompts" / "refined.md").write_bytes(b"Be kind.\r\n")
    whole = text_of(folder, "project.yaml")
    lines = [line for line in whole.split("\n") if not line.startswith("prompt:")]
    (folder / "project.yaml").write_text("\n".join([*lines, before, ""]))
    rename_prompt(folder, "refined", "sharper")
    assert text_of(folder, "project.yaml") == "\n".join([*lines, after, ""])
    assert (folder / "prompts" / "sharper.md").read_bytes() == b"Be kind.\r\n"
    assert not (folder / "prompts" / "refined.md").exists()
    assert "sharper" in [prompt.name for prompt in load(folder).project.prompts]


def test_a_project_file_in_one_line_follows_too(make_project: MakeProject):
    folder = make_project()
    (folder / "prompts" / "refined.md").write_text("Be kind.\n")
    (folder / "project.yaml").write_text("{name: Metals, model: m, prompt: refined}\n")
    rename_prompt(folder, "refined", "a, b")
    assert load(folder).project.default_prompt == "a, b"


@pytest.mark.parametrize("to", ["first", "a/b", "", " x"])
def test_a_name_that_cannot_be_leaves_the_prompt_as_it_was(make_project: MakeProject, to: str):
    folder = make_project()
    (folder / "prompts" / "first.md").write_text("First.\n")
    (folder / "prompts" / "refined.md").write_text("Be kind.\n")
    with pytest.raises(StudioError):
        rename_prompt(folder, "refined", to)
    assert text_of(folder, "prompts/first.md") == "First.\n"
    assert text_of(folder, "prompts/refined.md") == "Be kind.\n"


def test_a_prompt_that_is_gone_cannot_be_renamed(make_project: MakeProject):
    with pytest.raises(StudioError, match="cannot be read"):
        rename_prompt(make_project(), "nowhere", "somewhere")
