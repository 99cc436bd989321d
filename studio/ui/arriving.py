"""The query list of a project on its way into the window: it comes in parts."""

from studio.engine.messages import QueriesRead
from studio.engine.records import Query


class ArrivingQueries:
    """The parts so far."""

    def __init__(self) -> None:
        self._queries: list[Query] = []

    def whole(self, part: QueriesRead, count: int) -> tuple[Query, ...] | None:
        """All `count` queries once this part completes them, then to begin anew; else None."""
        self._queries[part.first :] = part.queries
        if len(self._queries) < count:
            return None
        queries, self._queries = tuple(self._queries), []
        return queries
