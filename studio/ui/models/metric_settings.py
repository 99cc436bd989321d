"""The settings of a metric as controls: what each may be, read from the metric's typed fields."""

import json
import math
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NoReturn

import msgspec

from studio.engine.errors import StudioError
from studio.engine.metrics import CATALOGUE, build
from studio.engine.metrics.base import Metric
from studio.engine.metrics.composite import Part, possible_parts
from studio.engine.records import JsonObject, MetricSpec
from studio.ui.text import decimal

_SHORT = 60
"""Characters of a JSON value that is written on one line."""


class Kind(StrEnum):
    """What a setting is edited with."""

    CHOICE = "choice"
    YES_NO = "yes or no"
    NUMBER = "number"
    TEXT = "text"
    NAMED = "names with numbers"
    JSON = "JSON"


class Setting(msgspec.Struct, frozen=True):
    """One field of a metric.  `default` is its text where nothing is stated, `choices` for CHOICE.

    One that `is_optional` may be left empty.  `title` is its label where the name makes none.
    The numbers of NAMED ones are weights where there are `names`: those that are offered.
    """

    name: str
    kind: Kind
    default: Any
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    title: str = ""
    names: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.title or self.name.replace("_", " ").capitalize()

    def text(self, value: Any) -> str:
        """A value as it stands in the control."""
        if value is None:
            return ""
        if self.kind is Kind.NUMBER and _is_number(value):
            return decimal(value)
        if isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=False, indent=2 if len(str(value)) > _SHORT else None)

    def value(self, text: str) -> Any:
        """What a text of the control means; the text itself where it means nothing of the kind."""
        if self.is_optional and not text.strip():
            return None
        match self.kind:
            case Kind.YES_NO:
                return {"true": True, "false": False}.get(text, text)
            case Kind.NUMBER:
                return read_number(text)
            case Kind.JSON | Kind.NAMED:
                return _json(text) if text.strip() else {}
            case _:
                return text


def settings_of(kind: type[Metric]) -> tuple[Setting, ...]:
    """The settings of a metric, in the order of declaration."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple(
        _setting(field, msgspec.inspect.type_info(hints[field.name]))
        for field in msgspec.structs.fields(kind)
    )


def texts(settings: tuple[Setting, ...], stated: JsonObject) -> dict[str, str]:
    """What the controls show of these settings."""
    return {each.name: each.text(stated.get(each.name, each.default)) for each in settings}


def stated(
    settings: tuple[Setting, ...], shown: Mapping[str, str], before: JsonObject
) -> JsonObject:
    """The settings that the controls state: those off their default, or stated before."""
    found = dict(before)
    for each in settings:
        value = each.value(shown[each.name])
        if value != each.default or isinstance(value, bool) is not isinstance(each.default, bool):
            found[each.name] = value
        elif before.get(each.name, value) != value:
            del found[each.name]
    return found


def wrong_settings(spec: MetricSpec) -> dict[str, str]:
    """What the catalogue says is wrong with which setting."""
    if spec.name not in CATALOGUE:
        return {}
    found = {}
    for name, value in spec.settings.items():
        try:
            build((MetricSpec(spec.name, {name: value}),))
        except StudioError as error:
            found[name] = error.remedy or error.problem
    return found


def _setting(field: msgspec.structs.FieldInfo, info: msgspec.inspect.Type) -> Setting:
    has_factory = field.default_factory is not msgspec.NODEFAULT
    default = field.default_factory() if has_factory else field.default
    default = list(default) if isinstance(default, tuple) else default
    is_optional = False
    if isinstance(info, msgspec.inspect.UnionType):
        others = [each for each in info.types if not isinstance(each, msgspec.inspect.NoneType)]
        is_optional = len(others) < len(info.types)
        info = others[0] if len(others) == 1 else info
    match info:
        case msgspec.inspect.LiteralType(values=values) if all(isinstance(v, str) for v in values):
            # The default first, as the help page lists them.
            choices = tuple(map(str, sorted(values, key=lambda each: each != default)))
            return Setting(field.name, Kind.CHOICE, default, choices, is_optional)
        case msgspec.inspect.BoolType():
            kind = Kind.YES_NO
        case msgspec.inspect.FloatType() | msgspec.inspect.IntType():
            kind = Kind.NUMBER
        case msgspec.inspect.StrType():
            kind = Kind.TEXT
        case msgspec.inspect.DictType(value_type=msgspec.inspect.FloatType()):
            kind = Kind.NAMED
        case msgspec.inspect.DictType(value_type=msgspec.inspect.UnionType(types=kinds)) if any(
            isinstance(each, msgspec.inspect.StructType) and each.cls is Part for each in kinds
        ):
            return Setting(field.name, Kind.NAMED, default, names=possible_parts())
        case _:
            kind = Kind.JSON
    return Setting(field.name, kind, default, (), is_optional)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def read_number(text: str) -> Any:
    """The number that a text is; the text itself if it is none."""
    for read in (int, float):
        try:
            value = read(text)
            is_finite = math.isfinite(value)
        except (ValueError, OverflowError):  # of hundreds of digits, too
            continue
        if is_finite and "_" not in text:
            return value
    return text


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)
