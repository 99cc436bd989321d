"""Forms as they are being edited: the fields of each record that differ from what is saved."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from studio.ui.drafts import Drafts

Fields = Mapping[str, str]


class Edit(NamedTuple):
    """What was typed into a field, and what it held when the typing began."""

    text: str
    before: str


class Edits:
    """Unsaved fields by the name of their record; kept as drafts, so that a crash loses none.

    A field that was not touched follows the file.
    """

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._edits: dict[str, dict[str, Edit]] = {}
        for name, text in drafts.all().items():
            if edits := _read(text):
                self._edits[name] = edits

    def __contains__(self, name: str) -> bool:
        return name in self._edits

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._edits))

    def fields(self, name: str, saved: Fields) -> dict[str, str]:
        """What the form shows of this record: its edits over what is saved."""
        edits = self._edits.get(name, {})
        return {field: edits[field].text if field in edits else saved[field] for field in saved}

    def keep(self, name: str, fields: Fields, saved: Fields) -> None:
        """The form holds these fields now; without a difference there is no draft."""
        known = self._edits.get(name, {})
        edits = {
            field: Edit(text, known[field].before if field in known else saved[field])
            for field, text in fields.items()
            if text != saved[field]
        }
        if edits:
            self._edits[name] = edits
            self._drafts.keep(name, json.dumps(edits))
        else:
            self.drop(name)

    def is_behind(self, name: str, saved: Fields) -> bool:
        """The file changed under an edit: saving it would replace what it never saw."""
        edits = self._edits.get(name, {})
        return any(saved.get(field) not in edit for field, edit in edits.items())

    def standing(self, name: str | None, saved: Fields) -> str:
        """How a record's edits stand, in words; "" without any."""
        if name is None or name not in self._edits:
            return ""
        is_behind = self.is_behind(name, saved)
        return "unsaved changes; the file changed too" if is_behind else "unsaved changes"

    def drop(self, name: str) -> None:
        """The fields were saved, or given up."""
        if self._edits.pop(name, None) is not None:
            self._drafts.drop(name)

    def write_now(self) -> None:
        self._drafts.write_now()


def _read(draft: str) -> dict[str, Edit]:
    """The edits of a draft; one that cannot be read has none."""
    try:
        found: Any = json.loads(draft)
        return {str(field): Edit(str(text), str(before)) for field, (text, before) in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
