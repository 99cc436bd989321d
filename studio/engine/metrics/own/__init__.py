"""Metrics that a project brings: the functions of its `metrics.py`.

::

    metric.py    the metric `own` of the catalogue: which function, and what its values mean
    source.py    what `metrics.py` defines, read without running it
    shown.py     what a function is given, as plain JSON
    code.py      the processes in which the functions run, killed when they take too long
    child.py     such a process; a script of the standard library alone
"""
