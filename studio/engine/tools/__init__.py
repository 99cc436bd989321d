"""A project's tools: read from source (`signature`), run in a killable child process (`host`).

Nothing here imports a project's `tools.py` into this process.
"""

from studio.engine.tools.host import ToolHost, ToolOutcome, unknown_tool
from studio.engine.tools.signature import Signatures, read_signatures

__all__ = ["Signatures", "ToolHost", "ToolOutcome", "read_signatures", "unknown_tool"]
