"""What metrics are offered: the catalogue's by their family, and the project's own."""

from collections.abc import Sequence
from functools import cache

import msgspec

from studio.engine.metrics import CATALOGUE
from studio.engine.metrics.families import FAMILIES, family
from studio.engine.metrics.help import example, help_text
from studio.engine.metrics.own.metric import NAME as OWN
from studio.engine.records import OwnMetric
from studio.ui.models.criteria import Chosen
from studio.ui.models.help_entries import Entry, Span, entries
from studio.ui.models.metric_settings import Setting, settings_of

_FUNCTION = "function"
_OWN_FAMILY = FAMILIES[-1]


class Offer(msgspec.Struct, frozen=True):
    """A metric as it is offered.  `searched` is what a filter looks through, in lower case."""

    chosen: Chosen
    title: str
    family: str
    searched: str


def offers(own: Sequence[OwnMetric] = ()) -> tuple[Offer, ...]:
    """All metrics there are, family by family; without own ones, a place that tells of them."""
    return (*_catalogue(), *(map(_own_offer, own) if own else (_offer(OWN),)))


@cache
def _catalogue() -> tuple[Offer, ...]:
    made = [_offer(name) for name in CATALOGUE if name != OWN]
    order = {name: place for place, name in enumerate(FAMILIES)}
    return tuple(sorted(made, key=lambda each: order.get(each.family, len(order))))


def _offer(name: str) -> Offer:
    kind = CATALOGUE[name]
    group = family(kind)
    # The question alone: to read every section in full would be felt when the page is opened.
    question = help_text(name).partition("\n- **")[0]
    searched = f"{name} {kind.title} {group} {question}".casefold()
    return Offer(Chosen(name), kind.title, group, searched)


def _own_offer(own: OwnMetric) -> Offer:
    searched = f"{own.name} {_OWN_FAMILY} {own.description}".casefold()
    return Offer(Chosen(OWN, {_FUNCTION: own.name}), own.name, _OWN_FAMILY, searched)


def is_same(one: Chosen, other: Chosen) -> bool:
    """Whether they are the same metric, however it is set; each own function is a metric."""
    names = [(of.name, of.settings.get(_FUNCTION) if of.name == OWN else "") for of in (one, other)]
    return names[0] == names[1]


def found(text: str, among: Sequence[Offer]) -> tuple[Offer, ...]:
    """The offers that hold every word of the text; if none does, those whose definition does."""
    words = text.casefold().split()
    named = tuple(each for each in among if all(word in each.searched for word in words))
    return named or tuple(each for each in among if all(word in _said(each) for word in words))


def _said(offer: Offer) -> str:
    """Whatever the help page says of a metric, but for its example."""
    return help_text(offer.chosen.name).partition("\n- **Example")[0].casefold()


def definition(of: Chosen, own: Sequence[OwnMetric] = ()) -> tuple[Entry, ...]:
    """What the help page says of a metric; of one of the project's own, what its author says."""
    if of.name == OWN:
        named = (each for each in own if each.name == of.settings.get(_FUNCTION))
        return (*_own_definition(next(named, None)), *_definition(OWN))
    if of.name not in CATALOGUE:
        told = "The catalogue of this version of the studio does not hold this metric."
        return (Entry("", (Span(told),)),)
    return _definition(of.name)


@cache
def _definition(name: str) -> tuple[Entry, ...]:
    return entries(help_text(name))


def _own_definition(own: OwnMetric | None) -> tuple[Entry, ...]:
    """What its author says, as plain text."""
    if own is None:
        return ()
    told = own.description or "Its author says nothing of it."
    return (Entry(f"{own.name}, a function of the project's metrics.py", (Span(told),)),)


@cache
def settings(name: str) -> tuple[Setting, ...]:
    """The settings that can be edited; none of a metric that the catalogue does not hold."""
    kind = CATALOGUE.get(name)
    return () if kind is None else settings_of(kind)


@cache
def example_case(name: str) -> str:
    """A case for the metric, as JSON that reads well; "" where the help page has none."""
    if name not in CATALOGUE or name == OWN:
        return ""
    return msgspec.json.format(example(name).encode(), indent=2).decode()
