"""The words and options of a command, in whatever order they are written."""

import argparse
from collections.abc import Sequence
from typing import Any, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[AnyOrder]"


class AnyOrder(argparse.ArgumentParser):
    """A command whose options may stand before, between and after its words.

    argparse by itself takes a word that may be left out as left out where an option comes before
    it: `grade METRIC --mode published CASES` would have a word too many.
    """

    _is_inside = False

    # Stated by argparse in three overloads; `override` would have to be imported, which takes long.
    def parse_known_args(  # type: ignore[override,explicit-override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        if self._is_inside:
            return super().parse_known_args(args, namespace)
        self._is_inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._is_inside = False
