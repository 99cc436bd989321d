"""The window (PySide6).  Shows and asks; nothing here evaluates anything.

Commands go down through `link` to the engine process, what happened comes up from the store.
"""
