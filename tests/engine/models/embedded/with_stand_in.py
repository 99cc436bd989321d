"""The embedded server's process with a stand-in for sentence-transformers and its weights.

For where the real ones are not installed: torch alone is ten times the size of all the rest.  What
is asked and answered on the wire is the server's own.
"""

import sys
from pathlib import Path

from studio.engine.models.embedded import embeddings
from studio.engine.models.embedded.__main__ import main

STAND_IN = Path(__file__).parent / "stand_in"


def no_weights(_progress: object) -> Path:
    return STAND_IN


if __name__ == "__main__":
    sys.path.append(str(STAND_IN))
    embeddings.ensure_embedding_weights = no_weights
    main()
