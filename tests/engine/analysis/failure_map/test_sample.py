"""The mistakes that the demonstration model made in a run of the sample project, as recorded."""

import json
from pathlib import Path

import msgspec
import pytest

from studio.engine.events import Event
from studio.engine.project import load
from studio.engine.scoring import Scorer
from studio.engine.trace import Trace
from studio.resources import sample_project

RECORDED = (Path(__file__).parent / "sample_traces.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in RECORDED]


@pytest.fixture(scope="module")
def sample():
    return load(sample_project("metal_prices"))


@pytest.mark.parametrize("case", CASES, ids=[case["query"] for case in CASES])
def test_each_mistake_is_put_where_a_person_would_put_it(sample, case):
    query = next(query for query in sample.queries if query.id == case["query"])
    trace = Trace(msgspec.convert(case["events"], list[Event]))
    opinion = Scorer(sample.project.criteria).opinion(query, trace)
    first = next((finding.mode.value for finding in opinion.findings), None)
    assert first == case["first"]
