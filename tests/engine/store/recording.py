"""Records a run the way the engine does, in a process of its own that may be killed at any moment.

Arguments: the folder, how many queries, how many trials of each.  Goes on with the newest run if
there is one.  Prints `position number` of a trial once it is acknowledged, and "done" at the end.
"""

import os
import random
import sys
import time
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from studio.engine.store.reader import RunReader
from studio.engine.store.writer import Store
from tests.engine.store.made import SERVER, a_plan, a_query, a_trace, some_scores

_OUTPUT = sys.stdout.fileno()


def _acknowledge(line: str, done: Future[None]) -> None:
    done.result()
    os.write(_OUTPUT, f"{line}\n".encode())


def main(folder: Path, queries: int, trials: int) -> None:
    with Store.open(folder) as store:
        reader = RunReader(folder)
        runs = reader.runs(limit=1)
        reader.close()
        run = runs[0].id if runs else store.create_run(a_plan(queries, trials), [SERVER])
        for trial in store.unscored(run, [score.metric for score in some_scores()]):
            store.add_scores(trial, some_scores())
        for _, number, position in store.missing(run):
            _run_trial(store, run, position, number)
        store.end_run(run, "finished")
    os.write(_OUTPUT, b"done\n")


def _run_trial(store: Store, run: int, position: int, number: int) -> None:
    query = a_query(position)
    trial = store.begin_trial(run, query, number, position)
    for event in a_trace(query, number):
        store.append(trial, event)
        if random.random() < 0.1:
            time.sleep(0.001)
    time.sleep(random.choice((0, 0.002)))
    store.add_scores(trial, some_scores())
    store.committed().add_done_callback(partial(_acknowledge, f"{position} {number}"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
