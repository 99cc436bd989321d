"""The language of a text, as langdetect tells it."""

from functools import cache, lru_cache
from typing import Any


@lru_cache(maxsize=32)
def language_of(text: str) -> str | None:
    """The code of the language (`en`, `zh-cn`), None where none can be told.

    langdetect draws at random; with its seed at 0, as it itself recommends, a text always has the
    same language.
    """
    from langdetect.lang_detect_exception import LangDetectException

    detector = _factory().create()
    detector.append(text)
    try:
        return str(detector.detect())
    except LangDetectException:
        return None


@cache
def _factory() -> Any:
    from langdetect import PROFILES_DIRECTORY
    from langdetect.detector_factory import DetectorFactory

    factory = DetectorFactory()
    factory.seed = 0
    factory.load_profile(PROFILES_DIRECTORY)
    return factory
