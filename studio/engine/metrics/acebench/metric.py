"""Whether the calls are those that ACEBench's answers for normal cases hold."""

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.acebench import corrected, published
from studio.engine.metrics.acebench.values import Fault
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.call_text import NotCarriedOut, Unreadable, read_calls
from studio.engine.metrics.cases import NoCalls, calls_of
from studio.engine.metrics.pairing import TooMany
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace


class AceBenchNormal(Metric, frozen=True):
    """1 if the calls are right beside one of the answers, else 0.

    Right are as many calls as expected, of the expected functions, each with the arguments that
    one expected call has.  Not scored: without answers, and where the published checker itself
    fails or would run code.  Source: ACEBench, `normal_checker` and the evaluation around it.
    """

    name: ClassVar[str] = "acebench_normal"
    title: ClassVar[str] = "ACEBench normal"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("acebench",)
    known_by: ClassVar[tuple[str, ...]] = ("function", "ground_truth")

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        stated = query.expected.more.get("acebench")
        if not isinstance(stated, Mapping):
            return Verdict(None, "the query states no answers of ACEBench (expected: acebench)")
        offered = [
            {"name": name, "parameters": schema} for name, schema in trace.tools_offered.items()
        ]
        calls = [{call.name: call.arguments} for call in trace.tool_calls]
        result: Any = calls or trace.answer or []
        return self.verdict_on({"function": offered, "result": result, **stated})

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in ACEBench's shape: function, ground_truth, result."""
        if "result" not in case or case.get("ground_truth") is None:
            return Verdict(None, "the case must have a result and a ground_truth")
        stated = (case.get(key) for key in ("category", "test_category", "id"))
        category = next((each for each in stated if isinstance(each, str)), "")
        try:
            calls = _decoded(case["result"], category, is_published=self.mode == "published")
        except NotCarriedOut as error:
            return Verdict(None, f"the calls were not read: {error}")
        if isinstance(calls, Fault):
            return _verdict(calls)
        answers = case["ground_truth"]
        answers = answers if isinstance(answers, list) else [answers]
        try:
            return self._beside(case.get("function"), calls, answers, category)
        except TooMany as error:
            return Verdict(None, str(error))
        except Exception as error:  # what the published checker raises ends its run, not ours
            where = "the published checker fails on" if self.mode == "published" else "cannot read"
            return Verdict(None, f"{where} this case: {type(error).__name__}: {error}"[:300])

    def _beside(self, docs: Any, calls: Any, answers: list[Any], category: str) -> Verdict:
        first: Fault | None = None
        for answer in answers:
            fault = self._fault(docs, calls, answer, category)
            if fault is None:
                return _verdict(None)
            first = first or fault
        return Verdict(None, "the case has no answers") if first is None else _verdict(first)

    def _fault(self, docs: Any, calls: Any, answer: Any, category: str) -> Fault | None:
        if self.mode == "corrected":
            return corrected.fault_of_calls(docs, calls, answer)
        return published.fault_of_calls(docs, calls, answer, is_exact="agent" in category)


def _decoded(result: Any, category: str, *, is_published: bool) -> Any:
    """The calls, or the fault of what are none."""
    if isinstance(result, str):
        text = "".join(result.split()) if "multi_turn" in category else _in_brackets(result)
        try:
            return read_calls(text, keeps_source=False)
        except Unreadable:
            return Fault("wrong_output_format")
    if isinstance(result, list) and all(isinstance(item, dict) for item in result):
        try:
            return calls_of(result)
        except NoCalls:
            # The published checker asks for no more than objects.
            return result if is_published else Fault("wrong_output_format")
    return Fault("wrong_output_format")


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


_RIGHT = Verdict(1.0, "the calls are right")


def _verdict(fault: Fault | None) -> Verdict:
    if fault is None:
        return _RIGHT
    return Verdict(0.0, fault.words, {"error_type": fault.kind})
