"""The child of `limited`: one request a line on standard input, one reply a line on its output.

It ends when its input ends, which is also what happens when its parent dies.
"""

import json
import os
import signal
import sys

from studio.engine.metrics.limited import answer, become_child

_GRACE = 2.0
"""Seconds that the parent has to end us before we do: it may have died in the meantime."""


def main() -> None:
    """Answer until the input ends."""
    become_child()
    # What a library prints must not get between the replies.
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    replies.write(b"{}\n")
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _end_after(request["seconds"] + _GRACE)
        reply = json.dumps(answer(request)).encode("ascii") + b"\n"
        _end_after(0)
        replies.write(reply)


def _end_after(seconds: float) -> None:
    # The system ends the process, whatever holds the interpreter at the time; Windows cannot.
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
