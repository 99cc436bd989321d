"""Keeps records sorted and filtered while they come in and change, without Qt.

Every place is found by bisection, so a change costs little however many records there are.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from typing_extensions import override

R = TypeVar("R")
Key = tuple[object, ...]


class Order(Generic[R]):
    """Records by their identity, and the identities of those shown, in order.

    `identify` gives a record's identity, `key` what it is sorted by: unique, and comparable with
    every other record's key.
    """

    def __init__(self, identify: Callable[[R], Hashable], key: Callable[[R], Key]) -> None:
        self.records: dict[Hashable, R] = {}
        self.shown: list[Hashable] = []
        self.identify = identify
        self._key = key
        self._accepts: Callable[[R], bool] | None = None

    def __len__(self) -> int:
        return len(self.shown)

    def __getitem__(self, place: int) -> R:
        return self.records[self.shown[place]]

    def accepts(self, record: R) -> bool:
        return self._accepts is None or self._accepts(record)

    def find(self, identity: Hashable) -> int | None:
        """The place of a record; None if it is unknown or filtered away."""
        record = self.records.get(identity)
        if record is None or not self.accepts(record):
            return None
        return self.place_of(record)

    def place_of(self, record: R) -> int:
        """Where the record stands, or would stand."""
        return bisect_left(self.shown, self._key(record), key=self._key_of)

    def follows(self, record: R) -> bool:
        """Whether the record belongs behind all that are shown."""
        return not self.shown or self._key_of(self.shown[-1]) < self._key(record)

    def arrange(self, key: Callable[[R], Key], accepts: Callable[[R], bool] | None) -> None:
        """Sort and filter anew."""
        self._key, self._accepts = key, accepts
        self.shown = [
            self.identify(r) for r in sorted(filter(accepts, self.records.values()), key=key)
        ]

    def in_order(self, records: Iterable[R]) -> list[R]:
        return sorted(records, key=self._key)

    def _key_of(self, identity: Hashable) -> Key:
        return self._key(self.records[identity])


class Down:
    """A text that sorts in falling order."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __lt__(self, other: "Down") -> bool:
        return other.text < self.text

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Down) and other.text == self.text

    @override
    def __hash__(self) -> int:
        return hash(self.text)
