"""The window and its pages: what is seen.  Pages read the session's state and call its methods."""
