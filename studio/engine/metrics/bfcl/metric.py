"""Whether the calls are those that BFCL's possible answers allow."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.bfcl import corrected, java, javascript, published
from studio.engine.metrics.bfcl.fault import Fault
from studio.engine.metrics.call_text import NotCarriedOut, Unreadable, read_calls
from studio.engine.metrics.cases import NoCalls, calls_of
from studio.engine.metrics.pairing import TooMany
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_RULES = {
    "python": published.PYTHON,
    "java": published.Language(
        java.TYPES, frozenset(("Array", "ArrayList")), java.read, "type_error:java"
    ),
    "javascript": published.Language(
        javascript.TYPES, frozenset(("array",)), javascript.read, "type_error:js"
    ),
}
_CATEGORIES = ("simple", "multiple", "parallel", "relevance")


class BfclAst(Metric, frozen=True):
    """1 if the calls are right by BFCL's rules for the category, else 0.

    simple: one call, of the first function.  multiple: one call, of the function that the answer
    names.  parallel and parallel_multiple: as many calls as answers, each fitting one.
    irrelevance: no call at all.  live_relevance: any call.

    Not scored: without possible answers, and where the published checker itself fails or would
    run code.  Source: BFCL v4, `ast_checker` of bfcl-eval 2026.3.23.
    """

    name: ClassVar[str] = "bfcl_ast"
    title: ClassVar[str] = "BFCL AST match"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("bfcl",)
    known_by: ClassVar[tuple[str, ...]] = ("function", "ground_truth", "possible_answer")

    mode: Mode = "corrected"
    underscores: bool = False

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        stated = query.expected.more.get("bfcl")
        if not isinstance(stated, Mapping):
            return Verdict(None, "the query states no possible answers (expected: bfcl)")
        offered = [
            {"name": name, "parameters": schema} for name, schema in trace.tools_offered.items()
        ]
        calls = [{call.name: call.arguments} for call in trace.tool_calls]
        result: Any = calls or trace.answer or []
        return self.verdict_on({"function": offered, "result": result, **stated})

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in BFCL's shape: function, ground_truth, result, category."""
        if "result" not in case:
            return Verdict(None, "the case has no result")
        answers = case.get("ground_truth", case.get("possible_answer"))
        category = category_of(case, answers)
        language = language_of(case, category)
        if language is None:
            return Verdict(None, "the language of the case is none of Python, Java and JavaScript")
        try:
            calls = _decoded(case["result"], language)
        except NotCarriedOut as error:
            return Verdict(None, f"the calls were not read: {error}")
        if "relevance" in category:
            return _on_relevance(calls, is_wanted="irrelevance" not in category)
        if isinstance(calls, Fault):
            return _verdict(calls)
        if not isinstance(answers, Sequence) or isinstance(answers, str):
            return Verdict(None, "the case has no ground_truth")
        return self._checked(case, category, language, calls, answers)

    def _checked(
        self, case: JsonObject, category: str, language: str, calls: Any, answers: Any
    ) -> Verdict:
        docs = case.get("function")
        underscores = bool(case.get("underscore_to_dot", self.underscores))
        try:
            if self.mode == "corrected":
                return _verdict(corrected.fault_of_calls(category, docs, calls, answers, language))
            rules = published.Rules(_RULES[language], underscores)
            return _verdict(published.fault_of_calls(category, docs, calls, answers, rules))
        except TimeoutError:
            return Verdict(None, "reading a value took too long and was stopped")
        except TooMany as error:
            return Verdict(None, str(error))
        except Exception as error:  # what the published checker raises ends its run, not ours
            where = "the published checker fails on" if self.mode == "published" else "cannot read"
            return Verdict(None, f"{where} this case: {type(error).__name__}: {error}"[:300])


def category_of(case: JsonObject, answers: Any) -> str:
    """The category as stated, as the id begins, or as the numbers of calls and functions say."""
    stated = case.get("category", case.get("test_category"))
    if isinstance(stated, str):
        return stated
    id = case.get("id")
    if isinstance(id, str) and any(word in id for word in _CATEGORIES):
        return id.rsplit("_", 1)[0]
    if not answers:
        return "irrelevance"
    if len(answers) > 1:
        return "parallel_multiple"
    return "multiple"


def language_of(case: JsonObject, category: str) -> str | None:
    stated = case.get("language")
    if isinstance(stated, str):
        known = stated.lower()
        return known if known in _RULES else None
    if "javascript" in category:
        return "javascript"
    return "java" if "java" in category else "python"


def _decoded(result: Any, language: str) -> list[dict[str, Any]] | Fault:
    """The calls, or the fault of what are none."""
    if isinstance(result, str):
        return _decoded_text(result, language)
    try:
        return calls_of(result)
    except NoCalls:
        is_readable = isinstance(result, list | dict)
        kind = "wrong_output_format" if is_readable else "failed"
        return Fault(f"ast_decoder:decoder_{kind}")


def _decoded_text(text: str, language: str) -> list[dict[str, Any]] | Fault:
    if language != "python":
        raise NotCarriedOut("a text of Java or JavaScript; give the calls as a list")
    text = text.strip("`\n ")
    text = text if text.startswith("[") else f"[{text}"
    text = text if text.endswith("]") else f"{text}]"
    try:
        return read_calls(text.strip().strip("'"))
    except Unreadable:
        return Fault("ast_decoder:decoder_failed")


def _on_relevance(calls: list[dict[str, Any]] | Fault, *, is_wanted: bool) -> Verdict:
    is_made = not isinstance(calls, Fault) and bool(calls)
    if is_made == is_wanted:
        words = "a call was made, as wanted" if is_wanted else "no call was made, as wanted"
        return Verdict(1.0, words)
    kind = "relevance_error:decoder_failed" if is_wanted else "irrelevance_error:decoder_success"
    return _verdict(Fault(kind))


_VALID = Verdict(1.0, "the calls are right")


def _verdict(fault: Fault | None) -> Verdict:
    if fault is None:
        return _VALID
    return Verdict(0.0, fault.words, {"error_type": fault.kind})
