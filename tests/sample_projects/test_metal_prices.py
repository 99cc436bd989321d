"""The sample project is good, and what it expects is what its own tools make of their tables."""

import importlib.util
from decimal import Decimal
from types import ModuleType

import pytest

from studio.engine import project
from studio.engine.records import Query
from studio.resources import sample_project

FOLDER = sample_project("metal_prices")
LOADED = project.load(FOLDER)


@pytest.fixture(scope="module")
def tools() -> ModuleType:
    spec = importlib.util.spec_from_file_location("metal_prices_tools", FOLDER / "tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sample_has_twenty_questions_two_prompts_and_both_tools():
    loaded = LOADED.project
    assert [prompt.name for prompt in loaded.prompts] == ["first", "refined"]
    assert loaded.default_prompt == "refined"
    assert [tool.name for tool in loaded.tool_sets[0].tools] == [
        "get_metal_price",
        "get_currency_exchange",
    ]
    assert loaded.tool_sets[0].name == loaded.default_tool_set == "prices + exchange"
    assert [(model.name, model.server) for model in loaded.models] == [("smollm2:135m", "auto")]
    calls = [len(query.expected.calls or ()) for query in LOADED.queries]
    assert (calls.count(2), calls.count(1)) == (15, 5)


@pytest.mark.parametrize("query", LOADED.queries, ids=lambda query: query.id)
def test_the_expected_number_is_what_the_tools_return(query: Query, tools: ModuleType):
    results = [
        Decimal(str(getattr(tools, call.name)(**call.arguments)))
        for call in query.expected.calls or ()
    ]
    product = results[0] * (results[1] if len(results) == 2 else 1)
    assert Decimal(str(query.expected.number)) == product


@pytest.mark.parametrize("query", LOADED.queries, ids=lambda query: query.id)
def test_the_question_names_the_metal_and_the_currency_that_are_expected(query: Query):
    metal, currency = query.expected.contains or ()
    assert metal in query.text
    assert currency in query.text
    first, *others = query.expected.calls or ()
    assert first.arguments == {"metal_name": metal}
    assert [other.arguments for other in others] == [
        {"base": "USD", "target": currency} for _ in others
    ]
    assert bool(others) == (currency != "USD")
    assert query.expected.unit == currency


def test_a_metal_or_a_rate_that_is_unknown_is_told_with_those_that_are_known(tools: ModuleType):
    with pytest.raises(ValueError, match=r"No price for 'tin'. Known: gold, silver"):
        tools.get_metal_price("tin")
    with pytest.raises(ValueError, match=r"No rate from 'GBP' to 'USD'. Known: USD to EUR"):
        tools.get_currency_exchange("GBP", "USD")
