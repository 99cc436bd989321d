"""Loading a project folder: what people may write, and what they are told when it is wrong."""

import os
from pathlib import Path

import msgspec
import pytest

from studio.engine.errors import ProjectError, RunError
from studio.engine.models.options import STUDIO
from studio.engine.project import check, load, variant
from studio.engine.records import (
    Expected,
    ExpectedCall,
    Instruction,
    MetricSpec,
    ModelSpec,
    Prompt,
    Query,
    Threshold,
)
from tests.engine.project.project_folders import QUERIES, MakeProject

FULL = """\
name: Metals
description: What metals cost.
models:
- llama3.2
- name: qwen3:4b
  server: http://127.0.0.1:11434/
  options: {num_ctx: 8192, temperature: 0.2, seed: 7, num_predict: -1, stop: ["\\n\\n"], top_k: 40}
  keep_alive: -1
  think: false
model: qwen3:4b
prompt: second
tools: prices only
agent: {step_cap: 8, graph: "my_agent.py:build"}
run: {trials: 3, at_once: 2, time_limit: 30}
metrics:
- steps
- tokens: {count: prompt}
passed: {tokens(count=prompt): 500}
"""


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in check(folder)]


def test_an_empty_project_file_leaves_everything_to_the_defaults(make_project: MakeProject):
    project = load(make_project({"project.yaml": ""})).project
    assert project.name == "metals"
    assert project.models == (ModelSpec("smollm2:135m", options=dict(STUDIO)),)
    assert project.default_prompt == "first"
    assert [tool_set.name for tool_set in project.tool_sets] == ["all"]
    assert project.default_tool_set == "all"
    assert (project.architecture, project.step_cap, project.graph) == ("react", 24, None)
    assert (project.trials, project.at_once, project.time_limit) == (1, 1, 120.0)
    assert MetricSpec("tool_call_accuracy") in project.metrics
    assert project.has_code


def test_everything_that_a_project_says_is_read(make_project: MakeProject):
    folder = make_project(
        {
            "project.yaml": FULL,
            "prompts/second.md": "Two\r\nlines\r\n",
            "my_agent.py": "def build(model, tools, prompt): ...\n",
            "tools.yaml": "sets:\n  prices only: [get_metal_price]\n"
            "tools:\n  get_metal_price: {description: Prices., time_limit: 5}\n",
        }
    )
    project = load(folder).project
    assert project.models == (
        ModelSpec("llama3.2", options=dict(STUDIO)),
        ModelSpec(
            "qwen3:4b",
            "http://127.0.0.1:11434",
            {
                "num_ctx": 8192,
                "temperature": 0.2,
                "seed": 7,
                "num_predict": -1,
                "stop": ["\n\n"],
                "top_k": 40,
            },
            "-1s",
            think=False,
        ),
    )
    assert project.default_model == "qwen3:4b"
    assert project.prompts[1] == Prompt("second", "Two\nlines")
    assert project.metrics == (MetricSpec("steps"), MetricSpec("tokens", {"count": "prompt"}))
    assert project.passed == (Threshold("tokens(count=prompt)", 500.0),)
    assert (project.step_cap, project.graph) == (8, "my_agent.py:build")
    assert (project.trials, project.at_once, project.time_limit) == (3, 2, 30.0)
    only, every = project.tool_sets
    assert only.name == "prices only"
    assert [(tool.description, tool.time_limit) for tool in only.tools] == [("Prices.", 5.0)]
    assert every.name == "all"
    assert [tool.name for tool in every.tools] == ["get_metal_price", "get_currency_exchange"]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(project), type=type(project)) == project


def test_a_project_without_tools_has_one_tool_set_that_is_empty(make_project: MakeProject):
    folder = make_project({"tools.py": None, "queries.yaml": "- How are you?\n"})
    project = load(folder).project
    assert [(each.name, each.tools) for each in project.tool_sets] == [("no tools", ())]
    assert not project.has_code


def test_loading_runs_none_of_the_projects_code(make_project: MakeProject, tmp_path: Path):
    mark = tmp_path / "ran"
    folder = make_project(
        {
            "tools.py": f"open({str(mark)!r}, 'w')\ndef ask(text: str) -> str: ...\n",
            "agent.py": f"open({str(mark)!r}, 'w')\ndef build(): ...\n",
            "project.yaml": "agent: {graph: 'agent.py:build'}",
        }
    )
    load(folder)
    assert not mark.exists()


EXPECTED = (
    Query(
        "gold-eur",
        "What does a gram of gold cost in euros?",
        Expected(
            (
                ExpectedCall("get_metal_price", {"metal_name": "gold"}),
                ExpectedCall("get_currency_exchange", {"base": "USD", "target": "EUR"}),
            ),
            ("gold", "EUR"),
            70.52424,
            "EUR",
        ),
        ("gold", "euro"),
    ),
    Query("q-df287dfc14", "How are you?", Expected(calls=())),
)
JSON_LINES = (
    '{"id": "gold-eur", "query": "What does a gram of gold cost in euros?", "expected": {"calls": '
    '[{"get_metal_price": {"metal_name": "gold"}}, {"name": "get_currency_exchange", "arguments": '
    '{"base": "USD", "target": "EUR"}}], "contains": ["gold", "EUR"], "number": 70.52424, '
    '"unit": "EUR"}, "tags": ["gold", "euro"]}\n'
    "\n"
    '{"query": "How are you?", "expected": {"calls": []}}'
)
CSV = (
    "\ufeffID;query;calls;contains;number;unit;tags\r\n"
    'gold-eur;What does a gram of gold cost in euros?;"[{""get_metal_price"": {""metal_name"": '
    '""gold""}}, {""get_currency_exchange"": {""base"": ""USD"", ""target"": ""EUR""}}]";'
    '"gold; EUR";70.52424;EUR;"[""gold"", ""euro""]"\r\n'
    "\r\n"
    ";How are you?;[]\r\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("queries.yaml", QUERIES),
        ("queries.yaml", "\ufeff" + QUERIES.replace("\n", "\r\n")),
        ("queries.jsonl", JSON_LINES),
        ("queries.jsonl", JSON_LINES.replace("\n", "\r\n")),
        ("queries.csv", CSV),
        ("queries.csv", CSV.replace("\r\n", "\n").removeprefix("\ufeff")),
    ],
)
def test_every_format_of_the_query_list_says_the_same(
    make_project: MakeProject, name: str, text: str
):
    assert load(make_project({"queries.yaml": None, name: text})).queries == EXPECTED


MORE = Expected(
    answers=("70.52", "70.5"),
    pattern=r"70[.,]52",
    outputs=("70.52",),
    instructions=(
        Instruction("punctuation:no_comma"),
        Instruction("length_constraints:number_words", {"num_words": 20}),
    ),
    documents={"prices": 2.0, "rates": 1.0},
)
MORE_YAML = """\
- query: a
  expected:
    answers: ['70.52', '70.5']
    pattern: 70[.,]52
    outputs: ['70.52']
    instructions: [punctuation:no_comma, length_constraints:number_words: {num_words: 20}]
    documents: {prices: 2, rates: 1}
"""
MORE_CSV = (
    "query,answers,pattern,outputs,instructions,documents\n"
    'a,70.52; 70.5,"70[.,]52",70.52,'
    '"[""punctuation:no_comma"", {""length_constraints:number_words"": {""num_words"": 20}}]",'
    '"{""prices"": 2, ""rates"": 1}"\n'
)


@pytest.mark.parametrize(("name", "text"), [("queries.yaml", MORE_YAML), ("queries.csv", MORE_CSV)])
def test_answers_patterns_rules_and_documents_can_be_expected(
    make_project: MakeProject, name: str, text: str
):
    [query] = load(make_project({"queries.yaml": None, name: text})).queries
    assert query.expected == MORE


def test_a_list_of_documents_gives_each_the_same_gain(make_project: MakeProject):
    text = "- {query: a, expected: {documents: [x, y]}}"
    [query] = load(make_project({"queries.yaml": text})).queries
    assert query.expected.documents == {"x": 1.0, "y": 1.0}


def test_a_csv_cell_may_hold_line_breaks_and_separators(make_project: MakeProject):
    text = 'query,tags\n"One,\ntwo ""three""?",a\nFour?,\n'
    queries = load(make_project({"queries.yaml": None, "queries.csv": text})).queries
    assert [(query.text, query.tags) for query in queries] == [
        ('One,\ntwo "three"?', ("a",)),
        ("Four?", ()),
    ]


def test_a_made_id_depends_on_the_text_alone_and_is_never_twice(make_project: MakeProject):
    one = load(make_project({"queries.yaml": "- One?\n- Two?\n- One?\n"})).queries
    other = load(make_project({"queries.yaml": "- Zero?\n- Two?\n- One?\n"})).queries
    assert one[0].id == other[2].id
    assert one[1].id == other[1].id
    assert one[2].id == f"{one[0].id}-2"


def test_a_made_id_gives_way_to_one_that_is_written(make_project: MakeProject):
    made = load(make_project({"queries.yaml": "- One?\n"})).queries[0].id
    queries = load(make_project({"queries.yaml": f"- One?\n- query: Two?\n  id: {made}\n"})).queries
    assert [query.id for query in queries] == [f"{made}-2", made]


def test_a_number_written_as_an_id_keeps_its_zeros(make_project: MakeProject):
    text = "- {id: 007, query: a}\n- {id: 7, query: b}\n- {id: 0x1F, query: c}\n"
    queries = load(make_project({"queries.yaml": text})).queries
    assert [query.id for query in queries] == ["007", "7", "0x1F"]


def test_what_is_unquoted_is_read_as_yaml_1_2_reads_it(make_project: MakeProject):
    text = "- {query: a, expected: {contains: [yes, no, on, 12:30, 2024-01-01, 'true', 42]}}\n"
    [query] = load(make_project({"queries.yaml": text})).queries
    assert query.expected.contains == ("yes", "no", "on", "12:30", "2024-01-01", "true", "42")


def test_a_variant_takes_the_defaults_for_what_is_not_named(make_project: MakeProject):
    project = load(make_project({"prompts/second.md": "Two."})).project
    made = variant(project, prompt="second")
    assert (made.prompt.text, made.tool_set.name, made.model.name) == (
        "Two.",
        "all",
        "smollm2:135m",
    )
    with pytest.raises(RunError, match=r"no prompt secnd. Did you mean second\?"):
        variant(project, prompt="secnd")


def test_every_mistake_of_every_file_is_listed(make_project: MakeProject):
    folder = make_project(
        {
            "project.yaml": "nam: x\nrun:\n  trials: 0\n  tims: 3\n",
            "prompts/blank.md": " \n",
            "tools.yaml": "sets:\n  a: [get_metal_prise]\n",
            "queries.yaml": "- query: a\n- qery: b\n",
        }
    )
    assert problems(folder) == [
        'project.yaml, line 1: There is no "nam". Did you mean name?',
        "project.yaml, line 3: run: trials cannot be 0. "
        "Write a whole number from 1 to 1,000, without quotes.",
        'project.yaml, line 4: run has no "tims". Did you mean trials?',
        "prompts/blank.md: The prompt is empty. Write what the agent is told to do.",
        'tools.yaml, line 2: tools.py has no tool "get_metal_prise". Did you mean get_metal_price?',
        'queries.yaml, line 2: There is no "qery". Did you mean query?',
        "queries.yaml, line 2: This item has no query. Add the key query: what is asked.",
    ]
    with pytest.raises(ProjectError) as caught:
        load(folder)
    assert len(caught.value.problems) == 7


MODEL = "model: {{name: m, {}}}"
OPTION = "model: {{name: m, options: {{{}}}}}"
WRONG = {
    "a window that cuts": (OPTION.format("num_ctx: 128"), "num_ctx cannot be 128"),
    "no window": (OPTION.format("num_ctx: 0"), "num_ctx cannot be 0"),
    "a negative window": (OPTION.format("num_ctx: -1"), "num_ctx cannot be -1"),
    "a float window": (OPTION.format("num_ctx: 4096.0"), "num_ctx cannot be 4096.0"),
    "a huge window": (OPTION.format("num_ctx: 9999999999"), "num_ctx cannot be 9999999999"),
    "an unknown option": (OPTION.format("temprature: 0"), "Did you mean temperature?"),
    "another API's option": (OPTION.format("max_tokens: 9"), "Did you mean num_predict?"),
    "a dropped option": (OPTION.format("mirostat: 1"), "ignores it: delete it"),
    "our own field": (OPTION.format("truncate: true"), "The studio sets this itself"),
    "temperature as text": (OPTION.format("temperature: '0'"), 'temperature cannot be "0"'),
    "temperature as flag": (OPTION.format("temperature: true"), "temperature cannot be true"),
    "temperature below zero": (OPTION.format("temperature: -1"), "temperature cannot be -1"),
    "a flag as seed": (OPTION.format("seed: true"), "seed cannot be true"),
    "a seed that wraps": (OPTION.format("seed: -2"), "seed cannot be -2"),
    "a seed too large": (OPTION.format("seed: 4294967295"), "seed cannot be"),
    "nothing predicted": (OPTION.format("num_predict: 0"), "num_predict cannot be 0"),
    "num_predict -2": (OPTION.format("num_predict: -2"), "num_predict cannot be -2"),
    "top_p as percent": (OPTION.format("top_p: 90"), "top_p cannot be 90"),
    "a negative top_k": (OPTION.format("top_k: -1"), "top_k cannot be -1"),
    "a number as flag": (OPTION.format("use_mmap: 1"), "use_mmap cannot be 1"),
    "stop as text": (OPTION.format("stop: END"), 'Write stop: ["END"]'),
    "an empty stop": (OPTION.format("stop: ['']"), "stop is blank"),
    "a number as stop": (OPTION.format("stop: [1.5]"), "must be a text, not 1.5"),
    "infinite": (OPTION.format("temperature: 1e999"), "infinite, too large or not a number"),
    "not a number": (OPTION.format("top_p: .nan"), "infinite, too large or not a number"),
    "an option at the top": ("temperature: 0", "Write it below model: options:"),
    "an option in model": (MODEL.format("num_ctx: 4096"), "Write it below model: options:"),
    "keep_alive in options": (OPTION.format("keep_alive: 5m"), "Write it beside options"),
    "keep_alive without unit": (MODEL.format("keep_alive: '300'"), "Write a duration such as"),
    "keep_alive in days": (MODEL.format("keep_alive: 1d"), "Write a duration such as"),
    "keep_alive for ever": (MODEL.format("keep_alive: forever"), "-1 (no quotes) never"),
    "keep_alive as flag": (MODEL.format("keep_alive: true"), "keep_alive cannot be true"),
    "think as text": (MODEL.format("think: yes"), "Write true or false, without quotes"),
    "think at no level": (MODEL.format("think: [high]"), "or one of low, medium, high, max"),
    "an address without scheme": (MODEL.format("server: 'localhost:11434'"), "is no address"),
    "an address with a path": (MODEL.format("server: 'http://a/v1'"), "more than the server's"),
    "a password": (MODEL.format("server: 'http://a:b@c'"), "password does not belong"),
    "no server": (MODEL.format("server: []"), "names none"),
    "a server twice": (MODEL.format("server: [auto, 'http://a', 'http://a/']"), "a second time"),
    "a pool among others": (MODEL.format("server: [pool, auto]"), "all of them already"),
    "a list of no addresses": (MODEL.format("server: [box]"), '"box" is no address'),
    "a bad port": (MODEL.format("server: 'http://a:99999'"), "is no address"),
    "a blank name": ("model: {name: ' '}", "model: name is blank"),
    "a name with a space": ("model: llama 3", "is no name of a model"),
    "a list as model": ("model: [a]", "must be a name or a mapping"),
    "a model twice": ("models: [a, a]", "stands here a second time"),
    "no models": ("models: []", "models must be a list"),
    "an unknown default model": ("models: [abc, d]\nmodel: abd", "Did you mean abc?"),
    "model beside models": ("models: [a]\nmodel: {name: a}", "There is a model: beside models:"),
    "an unknown prompt": ("prompt: frist", "Did you mean first?"),
    "an unknown set": ("tools: al", "Did you mean all?"),
    "an unknown architecture": ("agent: {architecture: reakt}", "Did you mean react?"),
    "steps without end": ("agent: {step_cap: 0}", "step_cap cannot be 0"),
    "a graph that is not there": ("agent: {graph: 'a.py:build'}", "This file is missing"),
    "a graph without function": ("agent: {graph: tools.py}", "Write my_agent.py:build"),
    "a graph elsewhere": ("agent: {graph: '../a.py:build'}", "leads out of the project folder"),
    "an unknown function": ("agent: {graph: 'tools.py:buld'}", "defines no function buld"),
    "time limit zero": ("run: {time_limit: 0}", "time_limit cannot be 0"),
    "time limit as text": ("run: {time_limit: 5m}", 'time_limit cannot be "5m"'),
    "trials as float": ("run: {trials: 1.5}", "must be a whole number, not 1.5"),
    "run as list": ("run: [3]", "run must be a mapping"),
    "an unknown metric": ("metrics: [stepps]", "Did you mean 'steps'"),
    "an unknown setting": ("metrics: [tokens: {cont: prompt}]", "Did you mean 'count'"),
    "a wrong setting": ("metrics: [tokens: {count: all}]", "must be one of"),
    "a metric twice": ("metrics: [steps, steps]", "stands here a second time"),
    "metrics as text": ("metrics: steps", "metrics must be a list"),
    "an odd metric": ("metrics: [[steps]]", "names no metric"),
    "a threshold of nothing": ("passed: {stepss: 1}", "Did you mean steps"),
    "a threshold of words": ("passed: {steps: few}", "is no number"),
    "a threshold that is endless": ("passed: {steps: .inf}", "is no number"),
    "a threshold above every value": (
        "metrics: [answer_contains]\npassed: {answer_contains: 5}",
        "5 is no value of answer_contains",
    ),
    "a threshold below every value": ("passed: {steps: -1}", "Write a number from 0."),
    "thresholds as a list": ("passed: [steps]", "passed must hold"),
    "a list at the top": ("- a", "must hold keys and values"),
    "a text at the top": ("hello", "must hold keys and values"),
    "a key twice": ("name: a\nname: b", "was given before, in line 1"),
    "a tab": ("run:\n\ttrials: 1", "a tab stands where spaces must"),
    "an open quote": ("name: 'abc\n\nrun: 1", "Close the quote"),
    "a colon": ("name: a: b", "Put a text with a colon in quotes"),
    "a tag": ("name: !!python/object:os.system x", "is not allowed. Write plain data"),
    "a harmless tag": ("name: !!str x", "is not allowed. Write plain data"),
    "an anchor": ("name: &a x", "marks a place to refer to"),
    "an alias": ("name: &a x\ndescription: *a", "refers to another place"),
    "a bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "Write the value out"),
    "a template": ("{{ name }}: x", "A key must be a text"),
    "two documents": ("name: a\n---\nname: b", "A second document begins here"),
    "a control character": ("name: a\x07", "U+0007 cannot stand in YAML"),
    "a line separator": ("name: a\u2028b", "U+2028 cannot stand in YAML"),
    "a zero byte": ("name: a\0", "zero byte"),
    "too deep": ("name: " + "[" * 100 + "]" * 100, "nested too deeply"),
    "far too deep": ("name: " + "[" * 100_000, "nest"),
    "a very long number": ("run: {trials: " + "9" * 10_000 + "}", "not a number"),
    "65 bits": ("run: {trials: 18446744073709551616}", "more than 64 bits"),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_project_file_is_told_with_its_line(
    make_project: MakeProject, text: str, told: str
):
    found = check(make_project({"project.yaml": text}))
    assert any(told in f"{problem.problem} {problem.remedy}" for problem in found), found
    assert {problem.file for problem in found} == {"project.yaml"}


@pytest.mark.parametrize("value", ["5m", "1h30m", "0", "-1s", "300", "-1", "1.5h", "100ms"])
def test_a_duration_that_the_server_knows_is_taken(make_project: MakeProject, value: str):
    model = load(make_project({"project.yaml": f"model: {{keep_alive: {value}}}"})).project.models[
        0
    ]
    unit = "s" if value.lstrip("-").isdigit() else ""
    assert model.keep_alive == value + unit


BAD_QUERIES = {
    "blank": ("- query: ' '", 1, "query is blank"),
    "not a text": ("- query: [a]", 1, "query must be a text"),
    "a number": ("- 12.5", 1, "A query must be a mapping"),
    "an id twice": ("- {id: a, query: x}\n- {id: a, query: y}", 2, "query in line 1, too"),
    "an unknown tool": (
        "- query: x\n  expected:\n    calls:\n    - get_metal_prise: {metal_name: gold}",
        4,
        "Did you mean get_metal_price?",
    ),
    "an unknown argument": (
        "- query: x\n  expected:\n    calls:\n    - get_metal_price: {metal: gold}",
        4,
        "Did you mean metal_name?",
    ),
    "arguments as list": (
        "- query: x\n  expected:\n    calls: [get_metal_price: [gold]]",
        3,
        "cannot stand below calls",
    ),
    "calls as mapping": ("- query: x\n  expected: {calls: {a: {}}}", 2, "must be a list"),
    "a price as text": ("- query: x\n  expected: {number: '3'}", 2, "must be a number"),
    "a flag as number": ("- query: x\n  expected: {number: true}", 2, "must be a number"),
    "a decimal comma": ("- query: x\n  expected: {number: '3,5'}", 2, "digits and a point"),
    "a float to contain": ("- query: x\n  expected: {contains: 3.50}", 2, "Write it in quotes"),
    "a broken pattern": ("- query: x\n  expected: {pattern: '('}", 2, "no regular expression"),
    "a gain as text": ("- query: x\n  expected: {documents: {a: b}}", 2, 'gain of "a" cannot'),
    "a rule of nothing": ("- query: x\n  expected: {instructions: [3]}", 2, "Write `- kind:of"),
    "a unit of nothing": ("- query: x\n  expected: {unit: EUR}", 2, "there is no number"),
    "expected beside": ("- query: x\n  contains: y", 2, "Write it below expected:"),
    "a query below": ("- query: x\n  expected: {tags: [a]}", 2, "Write it beside expected:"),
    "a mapping at the top": ("query: x", 1, "The file must hold a list"),
    "nothing": ("", 0, "There is no query in this file"),
    "an empty list": ("[]", 0, "There is no query in this file"),
    "a null": ("-", 1, "A query must be a mapping, not null"),
}


@pytest.mark.parametrize(("text", "line", "told"), BAD_QUERIES.values(), ids=BAD_QUERIES.keys())
def test_a_wrong_query_is_told_with_its_line(
    make_project: MakeProject, text: str, line: int, told: str
):
    found = check(make_project({"queries.yaml": text}))
    assert [(each.line, told in f"{each.problem} {each.remedy}") for each in found] == [
        (line, True)
    ], found


BAD_LINES = {
    "no JSON": ('{"query": "a"}\n{"query": }', 2, "This is no JSON"),
    "cut off": ('{"query": "a"}\n\n{"query": "b', 3, "This is no JSON"),
    "a list": ("[1]", 1, "A query must be a mapping"),
    "a key twice": ('{"query": "a", "query": "b"}', 1, '"query" is given twice'),
    "NaN": ('{"query": "a", "expected": {"number": NaN}}', 1, "NaN is no number of JSON"),
    "too large": ('{"query": "a", "expected": {"number": 1e999}}', 1, "infinite, too large"),
    "half a pair": ('{"query": "\\ud800"}', 1, "half of a surrogate pair"),
    "half a pair as key": ('{"query": "a", "\\udc00": 1}', 1, "half of a surrogate pair"),
    "too deep": ('{"query": ' + "[" * 100_000 + "}", 1, "nested too deeply"),
    "many digits": ('{"query": ' + "9" * 10_000 + "}", 1, "cannot be taken"),
}


@pytest.mark.parametrize(("text", "line", "told"), BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_wrong_line_of_json_is_told(make_project: MakeProject, text: str, line: int, told: str):
    found = check(make_project({"queries.yaml": None, "queries.jsonl": text}))
    assert [(each.line, told in each.problem) for each in found] == [(line, True)], found


BAD_ROWS = {
    "no names": ("What is up?\n", 1, "There is no column query"),
    "an unknown column": ("query,contain\na,b\n", 1, "Did you mean contains?"),
    "a column twice": ("query,query\na,b\n", 1, "The column query is there twice"),
    "too many cells": ("query,tags\na,b\n\na,b,c\n", 4, "This row has 3 cells"),
    "a broken quote": ('query\n"a\nb\n', 2, "This is no CSV"),
    "calls that are no JSON": ("query,calls\na,get_metal_price\n", 2, "This is no JSON"),
    "a decimal comma": ('query;number\n"a\nb";1\nc;70,52\n', 4, "must be a number"),
    "a blank query": ("query,tags\n,b\n", 2, "query is blank"),
    "names alone": ("query\n", 0, "There is no query in this file"),
}


@pytest.mark.parametrize(("text", "line", "told"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_wrong_row_of_csv_is_told(make_project: MakeProject, text: str, line: int, told: str):
    found = check(make_project({"queries.yaml": None, "queries.csv": text}))
    told_there = [each for each in found if told in f"{each.problem} {each.remedy}"]
    assert [each.line for each in told_there] == [line], found


BAD_TOOLS = {
    "a function that is not there": ("tools: {get_metal: {}}", 1, "has no tool"),
    "an unknown key": ("tools: {get_metal_price: {timeout: 3}}", 1, "Did you mean time_limit?"),
    "no schema": ("tools: {get_metal_price: {parameters: {type: string}}}", 1, "of type object"),
    "a bad schema": (
        "tools: {get_metal_price: {parameters: {type: object, required: metal_name,"
        " properties: {metal_name: {}}}}}",
        1,
        "it is no JSON Schema",
    ),
    "an argument that is not there": (
        "tools:\n  get_metal_price:\n    parameters:\n      type: object\n"
        "      properties: {metal_name: {}, metal: {}}",
        3,
        "has no argument",
    ),
    "an argument left out": (
        "tools: {get_metal_price: {parameters: {type: object}}}",
        1,
        "cannot be called without metal_name",
    ),
    "a tool twice in a set": ("sets: {a: [get_metal_price, get_metal_price]}", 1, "in a twice"),
    "a set that is a text": ("sets: {a: get_metal_price}", 1, "must be a list"),
    "an unknown part": ("set: {a: []}", 1, "Did you mean sets?"),
}


@pytest.mark.parametrize(("text", "line", "told"), BAD_TOOLS.values(), ids=BAD_TOOLS.keys())
def test_a_wrong_tools_file_is_told(make_project: MakeProject, text: str, line: int, told: str):
    found = check(make_project({"tools.yaml": text}))
    assert [(each.file, each.line) for each in found] == [("tools.yaml", line)], found
    assert told in f"{found[0].problem} {found[0].remedy}"


def test_a_mistake_in_the_code_hides_no_other_and_makes_none(make_project: MakeProject):
    folder = make_project({"tools.py": "def get_metal_price(:\n", "project.yaml": "nam: x"})
    assert [(each.file, each.line) for each in check(folder)] == [
        ("project.yaml", 1),
        ("tools.py", 1),
    ]


def test_a_graph_of_ones_own_may_bring_tools_that_the_project_does_not_name(
    make_project: MakeProject,
):
    folder = make_project(
        {
            "project.yaml": "agent: {graph: 'agent.py:build'}",
            "agent.py": "def build(): ...",
            "queries.yaml": "- {query: a, expected: {calls: [look_up: {word: b}]}}",
        }
    )
    assert load(folder).queries[0].expected.calls == (ExpectedCall("look_up", {"word": "b"}),)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"name: caf\xe9", "Byte 9 (0xe9) is no UTF-8"),
        ("name: x".encode("utf-16"), "This file is UTF-16"),
        ("name: x".encode("utf-16-le"), "zero byte"),
        (b"a" * 2_000_000, "at most 1 MB are read"),
    ],
)
def test_a_file_that_is_no_plain_text_is_told(make_project: MakeProject, data: bytes, told: str):
    [problem] = check(make_project({"project.yaml": data}))
    assert told in problem.problem
    assert problem.remedy


def test_the_line_of_a_bad_byte_is_told(make_project: MakeProject):
    folder = make_project({"queries.yaml": b"- one\n- two\n- caf\xe9\n"})
    [problem] = check(folder)
    assert (problem.file, problem.line) == ("queries.yaml", 3)


@pytest.mark.parametrize("name", ["project.yaml", "prompts/first.md", "tools.py", "queries.yaml"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    make_project: MakeProject, tmp_path: Path, name: str
):
    folder = make_project()
    elsewhere = tmp_path / "elsewhere"
    (folder / name).rename(elsewhere)
    (folder / name).symlink_to(elsewhere)
    assert any("leads out of the project folder" in text for text in problems(folder))


@pytest.mark.parametrize("name", ["project.yaml", "prompts/first.md", "tools.py", "queries.yaml"])
def test_what_is_no_file_is_not_opened(make_project: MakeProject, name: str):
    folder = make_project()
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert any(text.startswith(name) and "This is no file" in text for text in problems(folder))


def test_a_loop_of_links_is_told(make_project: MakeProject):
    folder = make_project()
    (folder / "tools.yaml").symlink_to("tools.yaml")
    assert any(text.startswith("tools.yaml") for text in problems(folder))


def test_what_is_missing_is_told(make_project: MakeProject, tmp_path: Path):
    folder = make_project({"queries.yaml": None})
    assert problems(folder) == [
        "queries.yaml: There is no query list. "
        "Write the queries into queries.yaml, queries.jsonl or queries.csv."
    ]
    for path in (folder / "prompts").iterdir():
        path.unlink()
    assert "prompts: There is no prompt." in problems(folder)[0]
    (folder / "prompts").rmdir()
    assert "prompts: This folder is missing." in problems(folder)[0]
    (folder / "project.yaml").unlink()
    assert "is no project folder" in problems(folder)[0]
    assert "There is no folder" in problems(tmp_path / "nowhere")[0]
    assert "is a file, not a project folder" in problems(folder / "tools.py")[0]


def test_two_query_lists_are_one_too_many(make_project: MakeProject):
    assert "Keep one of them" in problems(make_project({"queries.csv": "query\na\n"}))[0]


def test_a_prompt_of_another_ending_is_not_passed_over_in_silence(make_project: MakeProject):
    assert problems(make_project({"prompts/second.txt": "x"})) == [
        "prompts/second.txt: Prompts end in .md; this file is not read. Rename or move it."
    ]


def test_a_name_that_is_no_utf_8_is_told(make_project: MakeProject):
    folder = make_project()
    Path(os.fsdecode(os.fsencode(folder) + b"/prompts/caf\xe9.md")).write_text("x")
    assert problems(folder) == ["prompts/caf?.md: The file's name is no UTF-8. Rename it."]


def test_of_very_many_mistakes_the_first_are_listed_and_the_others_counted(
    make_project: MakeProject,
):
    found = check(make_project({"queries.yaml": "- {}\n" * 1000}))
    assert len(found) == 201
    assert found[-1].problem == "And 800 more mistakes of this file."


def test_a_hundred_thousand_queries_are_read(make_project: MakeProject):
    text = "".join(f'{{"query": "What is {n}?", "tags": ["t"]}}\n' for n in range(100_000))
    queries = load(make_project({"queries.yaml": None, "queries.jsonl": text})).queries
    assert len({query.id for query in queries}) == 100_000


@pytest.mark.parametrize(
    ("written", "servers"),
    [
        ("", ("auto",)),
        ("server: pool", ("pool",)),
        ("server: http://a:11434/", ("http://a:11434",)),
        ("server: [auto, embedded, 'http://a:11434/']", ("auto", "embedded", "http://a:11434")),
    ],
)
def test_a_model_may_be_asked_of_several_servers(make_project: MakeProject, written, servers):
    folder = make_project({"project.yaml": MODEL.format(written)})
    [model] = load(folder).project.models
    assert model.servers == servers


def test_what_is_no_project_is_told_as_that(tmp_path: Path):
    with pytest.raises(ProjectError) as caught:
        load(tmp_path / "nope")
    assert caught.value.problem == f"There is no folder {tmp_path / 'nope'}."
    assert caught.value.remedy == "Check the path."


@pytest.mark.parametrize("written", ["true", "false", "low", "medium", "high", "max"])
def test_a_model_thinks_as_stated_and_how_much(make_project: MakeProject, written: str):
    folder = make_project({"project.yaml": f"model: {{name: gpt-oss, think: {written}}}\n"})
    stated = {"true": True, "false": False}.get(written, written)
    assert load(folder).project.models[0].think == stated


def test_a_cell_that_is_no_json_is_told_what_its_column_holds(make_project: MakeProject):
    rows = 'query,calls,contains\na,get_metal_price,\nb,,"[gold"\n'
    calls, contains = problems(make_project({"queries.yaml": None, "queries.csv": rows}))
    assert calls.startswith("queries.csv, line 2: This is no JSON")
    assert calls.endswith(
        'column calls [{"tool": {"argument": "value"}}], or [] where no call is wanted.'
    )
    assert 'a semicolon parts, or a list such as ["one", "two"].' in contains


def test_a_metrics_py_that_cannot_be_read_is_the_only_mistake(make_project: MakeProject):
    files = {"project.yaml": "metrics: [own: {function: polite}]\n", "metrics.py": "def polite("}
    [problem] = problems(make_project(files))
    assert problem.startswith("metrics.py, line 1: This is no valid Python")
