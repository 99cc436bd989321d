"""Pulls as the scripted server plays them: layers in steps, taken up again where they stopped.

A script's `pulls` say of a model's name how its pull goes; every key optional::

    {"layers": [["sha256:aa", 3000], ["sha256:bb", 1000]], "steps": 4,   # steps of each layer
     "pause": seconds between lines, "fault": ..., "after": lines, "error": ..., "status": ...}

The keys of the last line are those of a chat's REPLY.  A name that is not among them is pulled at
once.  A pull that came to its end puts the model among the server's models.
"""

import json
from typing import Any

Json = dict[str, Any]
_LAYERS = [["sha256:aaaaaaaaaaaa", 3000], ["sha256:bbbbbbbbbbbb", 1000]]


class Pulls:
    """How far each model's pull has come."""

    def __init__(self, scripted: dict[str, Json]) -> None:
        self._scripted = scripted
        self._taken: dict[str, int] = {}

    def reply(self, name: str) -> Json:
        """The REPLY of the next request for this model: the lines that are still to come."""
        how = self._scripted.get(name, {})
        taken = self._taken.get(name, 0)
        lines = [{"status": "pulling manifest"}, *self._steps(name)[taken:]]
        ends = ("verifying sha256 digest", "writing manifest", "success")
        lines += [{"status": status} for status in ends]
        return how | {"lines": [json.dumps(line) for line in lines]}

    def sent(self, name: str, lines: int) -> bool:
        """So many lines reached the client; whether the pull is complete."""
        steps = len(self._steps(name))
        before = self._taken.get(name, 0)
        # The first line is no step, and three come after the last step.
        self._taken[name] = min(steps, before + max(0, lines - 1))
        return lines >= steps - before + 4

    def _steps(self, name: str) -> list[Json]:
        how = self._scripted.get(name, {})
        count = how.get("steps", 2)
        return [
            {
                "status": f"pulling {digest[7:19]}", "digest": digest, "total": total,
                "completed": total * step // count,
            }
            for digest, total in how.get("layers", _LAYERS)
            for step in range(1, count + 1)
        ]  # fmt: skip
