"""How the studio starts Python processes: what is imported in them does not depend on the place.

`-m` would look for modules in the working directory first.  That may be a project that somebody
sent, in which a `json.py` or a `studio.py` would run before anybody has trusted it.
"""

import sys

PYTHON = (sys.executable, "-P")
"""The beginning of every command that starts a Python process."""
