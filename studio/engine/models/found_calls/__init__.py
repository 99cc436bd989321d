"""Finds the tool calls that a model wrote into its text instead of making them.

`find` tries the notations of many model families in a fixed order (`finder`), because models mix
them: control tokens (`tokens`, `markers`), XML (`xml_forms`), JSON in a fence, bare or in prose
(`json_text`, `json_forms`), Python (`pythonic`).  What nearly is a call is mended and marked so;
what is none but tells something is marked too.
"""

from studio.engine.models.found_calls.arguments import decoded_arguments
from studio.engine.models.found_calls.finder import find
from studio.engine.models.found_calls.values import Found, FoundCall

__all__ = ["Found", "FoundCall", "decoded_arguments", "find"]
