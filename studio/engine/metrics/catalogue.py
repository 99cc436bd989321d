"""The catalogue: every metric by its name, and the way from a project's words to metrics."""

import difflib
import functools
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from studio.engine.errors import StudioError
from studio.engine.metrics.acebench import AceBenchNormal
from studio.engine.metrics.agentarch import AGENT_ARCH
from studio.engine.metrics.answers.choice import MultipleChoice
from studio.engine.metrics.answers.exact import ExactMatch
from studio.engine.metrics.answers.gaia import GaiaMatch
from studio.engine.metrics.answers.outputs import RequiredOutputs
from studio.engine.metrics.answers.pattern import AnswerPattern
from studio.engine.metrics.answers.simpleqa import SimpleQAGrade
from studio.engine.metrics.answers.words import AgenticMatch
from studio.engine.metrics.argument_check import ArgumentAccuracy, ArgumentsValid
from studio.engine.metrics.base import Metric
from studio.engine.metrics.bfcl import BfclAst
from studio.engine.metrics.call_match import CallMatch
from studio.engine.metrics.calls import ToolCallAccuracy
from studio.engine.metrics.chain import ChainCheck, ToolUseCorrectness
from studio.engine.metrics.composite import Composite, CompositePassed
from studio.engine.metrics.confidence import ClaimedSuccess, StatedConfidence
from studio.engine.metrics.contains import AnswerContains
from studio.engine.metrics.conversation import CONVERSATION
from studio.engine.metrics.efficiency import (
    CostScore,
    EfficientTrajectory,
    Loop,
    RedundantCalls,
    RepeatedCall,
    StepCap,
)
from studio.engine.metrics.effort import Messages, Seconds, Steps, Tokens
from studio.engine.metrics.ifeval import IFBench, IFEval
from studio.engine.metrics.multi_turn import MultiTurn
from studio.engine.metrics.number import NumberInAnswer
from studio.engine.metrics.own.metric import Own
from studio.engine.metrics.ragas_calls import RagasToolCallAccuracy
from studio.engine.metrics.ragas_f1 import RagasToolCallF1
from studio.engine.metrics.reflection import ReflectionScore
from studio.engine.metrics.retrieval.metrics import (
    ContextPrecision,
    NdcgAtK,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
)
from studio.engine.metrics.trajectory import TrajectoryMatch
from studio.engine.records import MetricSpec
from studio.engine.unfit import unfit

CATALOGUE: Mapping[str, type[Metric]] = types.MappingProxyType(
    {
        metric.name: metric
        for metric in (
            ToolCallAccuracy,
            RagasToolCallAccuracy,
            RagasToolCallF1,
            CallMatch,
            ArgumentAccuracy,
            ArgumentsValid,
            BfclAst,
            AceBenchNormal,
            TrajectoryMatch,
            MultiTurn,
            ChainCheck,
            ToolUseCorrectness,
            RedundantCalls,
            CostScore,
            EfficientTrajectory,
            RepeatedCall,
            Loop,
            StepCap,
            *AGENT_ARCH,
            AnswerContains,
            NumberInAnswer,
            AnswerPattern,
            ExactMatch,
            GaiaMatch,
            AgenticMatch,
            MultipleChoice,
            RequiredOutputs,
            SimpleQAGrade,
            IFEval,
            IFBench,
            StatedConfidence,
            ClaimedSuccess,
            *CONVERSATION,
            ReflectionScore,
            RecallAtK,
            PrecisionAtK,
            ReciprocalRank,
            NdcgAtK,
            ContextPrecision,
            Composite,
            CompositePassed,
            Steps,
            Messages,
            Seconds,
            Tokens,
            Own,
        )
    }
)
"""In the order in which metrics are offered."""

READ_BY_METRICS = tuple(sorted({name for metric in CATALOGUE.values() for name in metric.reads}))
"""The names that may stand below `expected:` of a query because a metric reads them."""


def build(specs: Sequence[MetricSpec]) -> tuple[Metric, ...]:
    """The metrics of a project or a run.  Raises StudioError for the first one that cannot be."""
    built: dict[str, Metric] = {}
    for spec in specs:
        metric = _build(spec)
        if metric.key in built:
            raise StudioError(f"The metric {metric.key!r} is listed twice.", "Remove one of them.")
        built[metric.key] = metric
    return tuple(built.values())


def check_settings(spec: MetricSpec) -> str | None:
    """What is wrong with a metric as a project names it, and what is right; None if nothing."""
    try:
        _build(spec)
    except StudioError as error:
        return str(error)
    return None


def _build(spec: MetricSpec) -> Metric:
    kind = CATALOGUE.get(spec.name)
    if kind is None:
        raise StudioError(f"There is no metric {spec.name!r}.", _meant(spec.name, CATALOGUE))
    fields = _settings(kind)
    for name, value in spec.settings.items():
        if name not in fields:
            remedy = _meant(name, fields) if fields else "It has no settings."
            raise StudioError(f"The metric {spec.name!r} has no setting {name!r}.", remedy)
        _check(spec.name, name, value, fields[name])
    metric = msgspec.convert(dict(spec.settings), kind)
    metric.check()
    return metric


@functools.cache
def _settings(kind: type[Metric]) -> Mapping[str, Any]:
    """What each setting of a metric may be.  Kept: working it out takes most of the building."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(kind)}


def _check(metric: str, setting: str, value: Any, kind: Any) -> None:
    is_finite = not isinstance(value, float) or math.isfinite(value)
    remedy = f"It must be {_expected(kind)}."
    try:
        if is_finite:
            msgspec.json.encode(value)  # half of a surrogate pair could not be written later on
            msgspec.convert(value, kind)
            return
    except msgspec.ValidationError as error:
        if isinstance(value, dict) and _is_of_values(kind):
            words = unfit(error)
            remedy = f"{words[0].upper()}{words[1:]}."
    except (UnicodeEncodeError, OverflowError):
        pass
    problem = f"The setting {setting!r} of the metric {metric!r} cannot be {value!r:.60}."
    raise StudioError(problem, remedy)


def _is_of_values(kind: Any) -> bool:
    return isinstance(msgspec.inspect.type_info(kind), msgspec.inspect.DictType)


def _expected(kind: Any) -> str:
    """What a setting may be, in words: "one of 'strict', 'flexible'"."""
    match msgspec.inspect.type_info(kind):
        case msgspec.inspect.LiteralType(values=values):
            return f"one of {', '.join(map(repr, values))}"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.FloatType() | msgspec.inspect.IntType() as number:
            return _number_in_words(number)
        case msgspec.inspect.DictType():
            return 'names with values: {"name": value}'
        case msgspec.inspect.VarTupleType() | msgspec.inspect.ListType():
            return 'a list of texts: ["text"]'
        case msgspec.inspect.UnionType():
            parts = typing.get_args(kind)
            return " or ".join(_expected(part) for part in parts if part is not types.NoneType)
        case _:
            return "text"


def _number_in_words(kind: msgspec.inspect.FloatType | msgspec.inspect.IntType) -> str:
    limits = (
        ("above {:g}", kind.gt), ("{:g} or more", kind.ge),
        ("below {:g}", kind.lt), ("{:g} at most", kind.le),
    )  # fmt: skip
    words = [text.format(limit) for text, limit in limits if limit is not None]
    name = "a whole number" if isinstance(kind, msgspec.inspect.IntType) else "a number"
    return ", ".join([name, *words])


def _meant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(name.lower().replace("-", "_"), names, n=3, cutoff=0.5)
    if close:
        return f"Did you mean {' or '.join(map(repr, close))}?"
    return f"There are: {', '.join(names)}."
