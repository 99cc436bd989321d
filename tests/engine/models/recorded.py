"""What two real servers said to chat requests, trimmed: long streams lack their middle.

`recorded_chats.jsonl` holds one exchange a line: which server ("05" runs models in itself, "08"
each in a child process; named by the months of 2026 that they are from), the case, the request's
body in `sent` (repeated text written as {"repeat", "times"}; none for bodies that were no JSON),
the status, the lines of the answer, and how it ended.
"""

import json
from pathlib import Path
from typing import Any

import msgspec


class RecordedChat(msgspec.Struct, frozen=True):
    """One recorded exchange."""

    server: str
    case: str
    status: int
    ended: str
    lines: tuple[str, ...]
    sent: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return f"{self.server}: {self.case}"

    @property
    def is_rendering(self) -> bool:
        return bool(self.sent.get("_debug_render_only"))

    @property
    def text(self) -> str:
        """All that the messages of the request say."""
        messages = self.sent.get("messages") or ()
        contents = (each.get("content") for each in messages if isinstance(each, dict))
        return "\n".join(content for content in contents if isinstance(content, str))

    @property
    def reply(self) -> dict[str, Any]:
        """The exchange as a reply in a script of the scripted server."""
        if self.status != 200:
            return {"status": self.status, "body": "\n".join(self.lines)}
        how = {} if self.ended == "complete" else {"fault": "reset", "after": len(self.lines)}
        return {"lines": list(self.lines), **how}


def _whole(value: Any) -> Any:
    match value:
        case {"repeat": text, "times": times, **rest}:
            return text * times + rest.get("then", "")
        case dict():
            return {key: _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case _:
            return value


def recorded_chats() -> list[RecordedChat]:
    lines = Path(__file__).with_name("recorded_chats.jsonl").read_text("utf-8").splitlines()
    return [msgspec.convert(_whole(json.loads(line)), RecordedChat) for line in lines]


def last_line(chat: RecordedChat) -> dict[str, Any]:
    """The last line of the answer; {} if it is no JSON object."""
    try:
        said = json.loads(chat.lines[-1])
    except (ValueError, IndexError):
        return {}
    return said if isinstance(said, dict) else {}
