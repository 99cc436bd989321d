"""Records while no file may grow any more, in a process of its own; prints what happened as JSON.

The limit is the operating system's (RLIMIT_FSIZE), so it is a real write that fails.
"""

import json
import resource
import sys
from pathlib import Path

from studio.engine.errors import StoreError
from studio.engine.store import committer
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, record

committer.MAX_BACKLOG = 200_000
TRIALS = 100


def _limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def main(folder: Path, *, until_refused: bool, room_again: bool) -> None:
    failures: list[StoreError] = []
    said: dict[str, object] = {}
    store = Store.open(folder, failures.append)
    run = store.create_run(a_plan(TRIALS), [SERVER])
    record(store, run, 0)
    store.committed().result()

    _limit(100_000)
    recorded = 1
    try:
        while recorded < TRIALS or until_refused:
            record(store, run, recorded)
            recorded += 1
    except StoreError as error:
        said["refused"] = str(error)
    said["waited for"] = str(store.committed().exception())
    said["failure"] = str(store.failure)

    if room_again:
        _limit(resource.RLIM_INFINITY)
        store.committed().result()
        said["failure with room again"] = str(store.failure)
    try:
        store.close()
    except StoreError as error:
        said["closing"] = str(error)
    said["told"] = list(map(str, failures))
    said["recorded"] = recorded
    print(json.dumps(said))


if __name__ == "__main__":
    main(Path(sys.argv[1]), until_refused="until" in sys.argv, room_again="room" in sys.argv)
