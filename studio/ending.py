"""How a command ends: its exit code, and what it says where it could not be done."""

import os
import select
import sys
from collections.abc import Callable


def exit_code(carry_out: Callable[[], int]) -> int:
    """Carry the command out: its own code, or 1 where it could not be done, or nobody reads on.

    Ctrl+C ends the program at once with 130.
    """
    from studio.engine.errors import StudioError

    try:
        code = carry_out()
        _flush()
        return code
    except StudioError as error:
        from studio.terminal_text import visible

        print(f"studio: {visible(error.problem)}", file=sys.stderr)  # noqa: T201 - its own voice
        if error.remedy:
            print(visible(error.remedy), file=sys.stderr)  # noqa: T201 - its own voice
        return 1
    except KeyboardInterrupt:
        sys.stdout.flush()
        # At once: a thread that cannot be interrupted would be waited for.
        os._exit(130)
    except BrokenPipeError:
        if not _is_unread():
            raise  # another pipe broke
        # Whoever reads, such as `head`, has read enough; what is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _flush() -> None:
    if sys.stdout is not None:  # closed by whoever started the program
        sys.stdout.flush()


def _is_unread() -> bool:
    """Nobody holds the other end of the standard output; Windows does not tell."""
    if sys.platform == "win32":
        return True
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in output.poll(0))
