"""The server process: `python -m studio.engine.models.embedded WEIGHTS`.

Prints one line, its address, when it answers.  Ends when its standard input does (its parent
closed it, or is gone).
"""

import asyncio
import ctypes
import os
import signal
import socket
import sys
import threading
from pathlib import Path

import uvicorn

from studio.engine.models.embedded.app import make_app
from studio.engine.models.embedded.engine import Engine

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h
_LAST_SECONDS = 3.0


def main() -> None:
    """Serve the weights named on the command line until the parent ends."""
    _end_with_parent()
    engine = Engine(Path(sys.argv[1]))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(make_app(engine), log_level="warning", access_log=False)
        )
        threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
        sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        asyncio.run(server.serve(sockets=[listening]))


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _end_with_input(server: uvicorn.Server) -> None:
    while sys.stdin.buffer.read(1024):
        pass
    server.should_exit = True
    # A generation under way holds nothing that must be saved.
    last = threading.Timer(_LAST_SECONDS, os._exit, args=(0,))
    last.daemon = True
    last.start()


if __name__ == "__main__":
    main()
