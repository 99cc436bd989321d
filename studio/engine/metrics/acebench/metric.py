"""Whether the calls are those that ACEBench's answers for normal cases hold."""

from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.acebench import corrected, published
from studio.engine.metrics.base import Verdict
from studio.engine.metrics.call_benchmark import CallBenchmark, Parts, answers_in
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.call_text import Unreadable, read_calls
from studio.engine.metrics.cases import NoCalls, UnreadArguments, are_calls, calls_of
from studio.engine.records import JsonObject

_NO_CALLS = Fault("wrong_output_format")


class AceBenchNormal(CallBenchmark, frozen=True):
    """1 if the calls are right beside one of the answers, else 0.

    Right are as many calls as expected, of the expected functions, each with the arguments that
    one expected call has.  Not scored: without answers, and where the published checker itself
    fails or would run code.  Source: ACEBench, `normal_checker` and the evaluation around it.
    """

    name: ClassVar[str] = "acebench_normal"
    title: ClassVar[str] = "ACEBench normal"
    reads: ClassVar[tuple[str, ...]] = ("acebench",)

    @override
    def graded(self, case: JsonObject, parts: Parts) -> Fault | Verdict | None:
        docs, answers, result, category = parts
        answers = answers_in(answers)
        stated = (category, case.get("id"))
        category = next((each for each in stated if isinstance(each, str)), "")
        is_published = self.mode == "published"
        calls: Any = result
        if not are_calls(result):
            calls = _read(result, category, as_published=is_published)
        if calls is None:
            return _NO_CALLS
        first: Fault | None = None
        for answer in answers:
            if is_published:
                fault = published.fault_of_calls(docs, calls, answer, is_exact="agent" in category)
            else:
                fault = corrected.fault_of_calls(docs, calls, answer)
            if fault is None:
                return None
            first = first or fault
        return first or Verdict(None, "the case has no answers")


def _read(result: Any, category: str, *, as_published: bool) -> list[Any] | None:
    """The calls that a text or a list holds; None where it holds none that can be read."""
    if isinstance(result, str):
        text = "".join(result.split()) if "multi_turn" in category else _in_brackets(result)
        try:
            return read_calls(text, keeps_source=False)
        except Unreadable:
            return None
    try:
        return calls_of(result)
    except UnreadArguments:
        return None
    except NoCalls:
        # The published checker asks for no more than a list of objects.
        is_enough = isinstance(result, list) and all(isinstance(item, dict) for item in result)
        return result if as_published and is_enough else None


def _in_brackets(text: str) -> str:
    """The first outermost pair of square brackets with what it holds; "" if there is none."""
    depth, start = 0, -1
    for place, mark in enumerate(text):
        if mark == "[":
            if depth == 0:
                start = place
            depth += 1
        elif mark == "]":
            depth -= 1
            if depth == 0 and start >= 0:
                return text[start : place + 1]
    return ""
