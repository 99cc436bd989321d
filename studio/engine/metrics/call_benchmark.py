"""What the benchmarks of calls have in common: functions, answers, and what a model gave.

Each has its own words for the same parts, and so has whoever writes a case by hand: see the tables.
"""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.call_text import NotCarriedOut
from studio.engine.metrics.cases import unread
from studio.engine.metrics.pairing import TooMany
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_FUNCTIONS = ("function", "functions", "tools", "func_description")
_ANSWERS = ("ground_truth", "possible_answer", "possible_answers")
_RESULTS = (
    "result",
    "model_result",
    "model_result_decoded",
    "model_result_raw",
    "model_output",
    "decoded_output",
    "output",
    "response",
    "calls",
    "tool_calls",
    "answer",
)
_CATEGORIES = ("category", "test_category")
_RIGHT = Verdict(1.0, "the calls are right")


Parts = tuple[Any, Any, Any, Any]
"""Functions, answers (None where none are stated), what the model gave, and the category."""


class Lacking(ValueError):
    """A part without which nothing can be said; says which."""


_plain_parts = itemgetter("function", "ground_truth", "result", "category")


def _parts_by_other_names(case: JsonObject) -> Parts:
    """The parts under any of their usual names.  Raises Lacking."""
    result = _first(case, _RESULTS, Lacking)
    if result is Lacking:
        raise Lacking("the case has no result")
    functions = _first(case, _FUNCTIONS)
    if functions is None and isinstance(case.get("prompt"), Mapping):
        # A line of a score file holds the question with its functions below `prompt`.
        functions = case["prompt"].get("function")
    if isinstance(functions, list):
        functions = list(map(_function, functions))
    answers = _first(case, _ANSWERS)
    if isinstance(answers, Mapping) and "ground_truth" in answers:
        answers = answers["ground_truth"]
    return functions, answers, result, _first(case, _CATEGORIES)


def functions_in(part: Any) -> list[Any]:
    """The functions as a list.  Raises Lacking."""
    functions = as_list(part)
    if type(functions) is not list:
        raise Lacking("the case has no function")
    return functions


def as_list(part: Any) -> Any:
    """One function, or one answer, may stand without a list around it."""
    return [part] if type(part) is dict else part


def answers_in(part: Any) -> list[Any]:
    """The answers as a list.  Raises Lacking."""
    answers = as_list(part)
    if type(answers) is not list:
        raise Lacking("the case has no ground_truth")
    return answers


def _first(case: JsonObject, keys: tuple[str, ...], default: Any = None) -> Any:
    for key in keys:
        if key in case:
            return case[key]
    return default


def _function(described: Any) -> Any:
    """A function as the benchmarks describe it, also where it is written as OpenAI does."""
    if type(described) is dict and "name" not in described:
        return described.get("function", described)
    return described


class CallBenchmark(Metric, frozen=True):
    """Base of the metrics that check calls beside the answers of a benchmark."""

    is_binary: ClassVar[bool] = True
    tells_success: ClassVar[bool] = True
    known_by: ClassVar[tuple[str, ...]] = ("function", *_ANSWERS)

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        [name] = self.reads
        stated = query.expected.more.get(name)
        if not isinstance(stated, Mapping):
            return Verdict(None, f"the query states no possible answers (expected: {name})")
        offered = [
            {"name": name, "parameters": schema} for name, schema in trace.tools_offered.items()
        ]
        calls = [{call.name: call.arguments} for call in trace.tool_calls]
        result: Any = calls or trace.answer or []
        return self.verdict_on({"function": offered, "result": result, **stated})

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in the benchmark's shape: function, ground_truth, result."""
        try:
            try:
                parts = _plain_parts(case)
            except KeyError:
                parts = _parts_by_other_names(case)
            found = self.graded(case, parts)
            if isinstance(found, Fault):
                return Verdict(0.0, found, {"error_type": found.kind})
            return _RIGHT if found is None else found
        except (Lacking, TooMany) as error:
            return Verdict(None, str(error))
        except NotCarriedOut as error:
            return Verdict(None, f"the calls were not read: {error}")
        except TimeoutError:
            return Verdict(None, "reading a value took too long and was stopped")
        except Exception as error:  # what the published checker raises ends its run, not ours
            return unread(error, is_published=self.mode == "published")

    def graded(self, case: JsonObject, parts: Parts) -> Fault | Verdict | None:
        """The first fault, None if there is none, or the verdict where more is to be said.

        Raises whatever a bad case, or the published checker, raises.
        """
        raise NotImplementedError
