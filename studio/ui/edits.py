"""Forms as they are being edited: the fields of each record that differ from what is saved."""

import json
from collections.abc import Iterator, Mapping

from studio.ui.drafts import Drafts

Fields = Mapping[str, str]


class Edits:
    """Unsaved fields by the name of their record; kept as drafts, so that a crash loses none."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._fields: dict[str, Fields] = {}
        for name, text in drafts.all().items():
            fields = json.loads(text)
            if isinstance(fields, dict):
                self._fields[name] = {str(key): str(value) for key, value in fields.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._fields))

    def fields(self, name: str, saved: Fields) -> Fields:
        """What the form shows of this record: its edits over what is saved."""
        return {**saved, **self._fields.get(name, {})}

    def keep(self, name: str, fields: Fields, saved: Fields) -> None:
        """The form holds these fields now; without a difference there is no draft."""
        if dict(fields) == dict(saved):
            self.drop(name)
        else:
            self._fields[name] = dict(fields)
            self._drafts.keep(name, json.dumps(dict(fields)))

    def drop(self, name: str) -> None:
        """The fields were saved, or given up."""
        if self._fields.pop(name, None) is not None:
            self._drafts.drop(name)

    def write_now(self) -> None:
        self._drafts.write_now()
