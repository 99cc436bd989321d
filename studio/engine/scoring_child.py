"""The child of `shared_scoring`: judges stored trials and says what it thinks of them.

Lines of JSON: the task, then blocks on standard input, what is thought of each block on its output.
It only reads the store.  It ends when its input ends, which is also what happens when its parent
dies, whatever it is at.
"""

import os
import queue
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import msgspec

from studio.engine.errors import StudioError
from studio.engine.scoring import Scorer
from studio.engine.shared_scoring import Task
from studio.engine.store.opinions import judged
from studio.engine.store.stored_traces import Block, StoredTraces


def main() -> None:
    """Judge until the input ends."""
    # What a library prints must not get between the replies.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    try:
        _judge(requests, replies)
    except StudioError:
        # The parent judges the block itself, and tells what is wrong.
        sys.exit(1)


def _read(requests: "queue.SimpleQueue[bytes]") -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _judge(requests: "queue.SimpleQueue[bytes]", replies: BinaryIO) -> None:
    task = msgspec.json.decode(requests.get(), type=Task)
    with Scorer(task.criteria) as scorer, closing(StoredTraces(Path(task.path), task.run)) as found:
        while True:
            block = msgspec.json.decode(requests.get(), type=Block)
            opinions = [
                judged(
                    place.trial, *scorer.opinion(found.query(place.position), trace), afresh=True
                )
                for place, trace in found.trials(block)
            ]
            replies.write(msgspec.json.encode(opinions) + b"\n")
            replies.flush()


if __name__ == "__main__":
    main()
