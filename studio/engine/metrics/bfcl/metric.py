"""Whether the calls are those that BFCL's possible answers allow."""

from functools import lru_cache
from typing import Any, ClassVar, Literal

from typing_extensions import override

from studio.engine.metrics.base import Verdict
from studio.engine.metrics.bfcl import corrected, java, javascript, published
from studio.engine.metrics.bfcl.limited import begin_case
from studio.engine.metrics.bfcl.output import read_output
from studio.engine.metrics.bfcl.published_values import python_fault, source_check
from studio.engine.metrics.call_benchmark import CallBenchmark, Parts, answers_in, functions_in
from studio.engine.metrics.call_fault import Fault
from studio.engine.metrics.cases import are_calls
from studio.engine.records import JsonObject

Kind = Literal["irrelevance", "relevance"] | published.Kind

_JAVA = source_check(java.read, java.TYPES, frozenset(("Array", "ArrayList")), "type_error:java")
_JAVASCRIPT = source_check(
    javascript.read, javascript.TYPES, frozenset(("array",)), "type_error:js"
)
_CHECKS = {"python": python_fault, "java": _JAVA, "javascript": _JAVASCRIPT}
_AS_WRITTEN = {name: published.Rules(check) for name, check in _CHECKS.items()}
_WITH_UNDERSCORES = {
    name: published.Rules(check, underscores=True) for name, check in _CHECKS.items()
}
_Check = tuple[Kind, str]
"""What the name of a category says: how calls are checked, and their language."""
_ALSO = {"py": "python", "js": "javascript"}
# The first that is a part of the name holds.
_KINDS: tuple[Kind, ...] = ("irrelevance", "relevance", "parallel", "multiple")
_IN_IDS = (*_KINDS, "simple", "java")
_LONGEST_ID = 100


class BfclAst(CallBenchmark, frozen=True):
    """1 if the calls are right by BFCL's rules for the category, else 0.

    simple: one call, of the first function.  multiple: one call, of the function that the answer
    names.  parallel and parallel_multiple: as many calls as answers, each fitting one.
    irrelevance: no call at all.  live_relevance: any call.

    Not scored: without possible answers, and where the published checker itself fails or would
    run code.  Source: BFCL v4, `ast_checker` of bfcl-eval 2026.3.23.
    """

    name: ClassVar[str] = "bfcl_ast"
    title: ClassVar[str] = "BFCL AST match"
    version: ClassVar[str] = "3"
    reads: ClassVar[tuple[str, ...]] = ("bfcl",)

    underscores: bool = False

    @override
    def graded(self, case: JsonObject, parts: Parts) -> Fault | Verdict | None:
        docs, answers, result, category = parts
        kind, language = (
            _named(category) if type(category) is str else _guessed(case.get("id"), docs, answers)
        )
        if "language" in case:
            language = _stated_language(case["language"]) or language
        calls = result
        if not are_calls(result):
            calls = read_output(result, language, as_published=self.mode == "published")
        if kind == "relevance" or kind == "irrelevance":
            return _on_relevance(calls, is_wanted=kind == "relevance")
        if type(calls) is Fault:
            return calls
        if type(docs) is not list or type(answers) is not list:
            docs, answers = functions_in(docs), answers_in(answers)
        if language != "python":
            begin_case()
        if self.mode == "corrected":
            return corrected.fault_of_calls(kind, docs, calls, answers, language)
        underscores = case.get("underscore_to_dot", self.underscores)
        rules = (_WITH_UNDERSCORES if underscores else _AS_WRITTEN)[language]
        return published.fault_of_calls(kind, docs, calls, answers, rules)


def _stated_language(stated: Any) -> str:
    """Raises ValueError for a language that BFCL does not have; "" if none is stated."""
    if stated is None:
        return ""
    name = str(stated).lower().removeprefix("language.")
    name = _ALSO.get(name, name)
    if name not in _CHECKS:
        raise ValueError(f"{stated!r:.40} is none of Python, Java and JavaScript")
    return name


@lru_cache(maxsize=256)
def _named(category: str) -> _Check:
    """As the published runner reads the name: a part of it suffices."""
    kind: Kind = next((kind for kind in _KINDS if kind in category), "simple")
    if "javascript" in category:
        return (kind, "javascript")
    return (kind, "java" if "java" in category else "python")


def _guessed(id: Any, docs: Any, answers: Any) -> _Check:
    """As the id says, or as the numbers of calls and functions do."""
    if isinstance(id, str) and any(word in id for word in _IN_IDS):
        return _named(id[:_LONGEST_ID])
    if not answers:
        return "irrelevance", "python"
    if len(answers) > 1:
        return ("parallel", "python")
    return ("multiple" if isinstance(docs, list) and len(docs) > 1 else "simple", "python")


def _on_relevance(calls: Any, *, is_wanted: bool) -> Fault | Verdict:
    is_made = type(calls) is not Fault and bool(calls)
    if is_made == is_wanted:
        words = "a call was made, as wanted" if is_wanted else "no call was made, as wanted"
        return Verdict(1.0, words)
    return Fault(
        "relevance_error:decoder_failed" if is_wanted else "irrelevance_error:decoder_success"
    )
