"""The course module's grader of one call: in BFCL's manner, but looser with numbers and accents."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typing_extensions import override

from studio.engine.metrics.arguments import same_value, shown
from studio.engine.metrics.base import Metric, Mode, Verdict
from studio.engine.metrics.cases import unread, value_lists
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}
_DROPPED = re.compile(r"[,./\-_*^]")
_BLANK = re.compile(r"\s+")


class CallMatch(Metric, frozen=True):
    """1 if the one call made is the one wanted (or none was wanted and none made), else 0.

    Each argument must be documented, of its type and among the acceptable values; "" among these
    says that it may be left out.  Texts are compared without blanks, `,./-_*^`, case and accents,
    5 is 5.0.  Not scored: without an expectation or a schema.  Source: the course module's
    `grade_call`.
    """

    name: ClassVar[str] = "call_match"
    title: ClassVar[str] = "Call match"
    version: ClassVar[str] = "2"
    tells_success: ClassVar[bool] = True
    is_binary: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("call",)
    known_by: ClassVar[tuple[str, ...]] = ("actual",)

    mode: Mode = "corrected"

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        stated, calls = query.expected.more.get("call"), query.expected.calls
        if stated is None and calls is None:
            return Verdict(None, "the query states no call (expected: call, or calls)")
        if stated is None and calls:
            if len(calls) > 1:
                return Verdict(None, "the query states no single call: it states several")
            acceptable = {key: [value] for key, value in calls[0].arguments.items()}
            stated = {"name": calls[0].name, "args": acceptable}
        made = trace.tool_calls
        if len(made) > 1:
            return _verdict([f"{len(made)} calls were made, one at most was wanted"])
        actual = {"name": made[0].name, "args": made[0].arguments} if made else None
        schema = trace.tools_offered.get(stated["name"]) if stated else None
        return self.verdict_on({"actual": actual, "expected": stated, "schema": schema})

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case in the course's shape: actual, expected, schema."""
        if "expected" not in case:
            return Verdict(None, "the case must have expected: a call, or null for none")
        try:
            return self._graded(case["actual"], case["expected"], case.get("schema"))
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError) as error:
            return unread(error, is_published=self.mode == "published")

    def _graded(self, actual: Any, expected: Any, schema: Any) -> Verdict:
        if expected is None:
            made = actual is not None
            return _verdict([f"called {actual['name']}, but no call was needed"] if made else [])
        if actual is None:
            return _verdict(["no call was made, one was needed"])
        if actual["name"] != expected["name"]:
            return _verdict([f"called {actual['name']}, wanted {expected['name']}"])
        if not isinstance(schema, Mapping):
            return Verdict(None, "the schema of the tool is not known")
        rules = _Published() if self.mode == "published" else _Corrected()
        wanted = rules.acceptable(expected["args"])
        return _verdict(rules.problems(actual.get("args", {}), wanted, schema))


class _Published:
    """As the course has it: its types are checked on the top only, 東京 and 北京 are both ""."""

    def problems(
        self, made: JsonObject, wanted: JsonObject, schema: Mapping[str, Any]
    ) -> list[str]:
        known, required = schema["properties"], schema.get("required", [])
        found = [f"{name} is missing" for name in required if name not in made]
        for name, value in made.items():
            if name not in known:
                found.append(f"{name} is not documented")
                continue
            if not self.fits(value, known[name]["type"]):
                found.append(f"{name} is of the wrong type: {shown(value)}")
            acceptable = wanted.get(name)
            if acceptable is not None and not self.is_among(value, acceptable):
                found.append(f"{name} is {shown(value)}, not one of {shown(acceptable)}")
        needed = (name for name, values in wanted.items() if "" not in values)
        found += [f"{n} is missing" for n in needed if n not in made and n not in required]
        return found

    def acceptable(self, stated: JsonObject) -> JsonObject:
        """For each argument the list of its acceptable values."""
        return stated

    def fits(self, value: Any, kind: str) -> bool:
        if kind in ("integer", "number") and isinstance(value, bool):
            return False
        return isinstance(value, _TYPES[kind])

    def is_among(self, value: Any, acceptable: Sequence[Any]) -> bool:
        return self.plain(value) in [self.plain(each) for each in acceptable if each != ""]

    def plain(self, value: Any) -> Any:
        """The value as it is compared."""
        match value:
            case str():
                return _BLANK.sub("", _DROPPED.sub("", self.letters(value).lower()))
            case bool():
                return value
            case int() | float():
                return float(value)
            case list():
                return [self.plain(item) for item in value]
            case dict():
                return {key: self.plain(item) for key, item in value.items()}
            case _:
                return value

    def letters(self, text: str) -> str:
        return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


class _Corrected(_Published):
    """Letters of every script count, 3.0 is an integer, and true is not 1 at any depth.

    One acceptable value may stand without a list; "" alone is a value, and not only a sign that
    the argument may be left out.
    """

    @override
    def acceptable(self, stated: JsonObject) -> JsonObject:
        return value_lists(stated)

    @override
    def fits(self, value: Any, kind: str) -> bool:
        if kind == "integer" and isinstance(value, float):
            return value.is_integer()
        return kind not in _TYPES or super().fits(value, kind)

    @override
    def is_among(self, value: Any, acceptable: Sequence[Any]) -> bool:
        plain = self.plain(value)
        values = [each for each in acceptable if each != ""] or acceptable
        return any(same_value(plain, self.plain(each)) for each in values)

    @override
    def plain(self, value: Any) -> Any:
        is_large = isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53
        return value if is_large else super().plain(value)

    @override
    def letters(self, text: str) -> str:
        decomposed = unicodedata.normalize("NFKD", text)
        return "".join(mark for mark in decomposed if not unicodedata.combining(mark)).casefold()


def _verdict(problems: list[str]) -> Verdict:
    if not problems:
        return Verdict(1.0, "the call is as wanted")
    return Verdict(0.0, "; ".join(problems), {"problems": problems})
