"""The Berkeley Function Calling Leaderboard's AST checker.

::

    metric.py      the metric: what is graded, and when it is not
    published.py   the checker, defect for defect; values.py compares texts, lists and objects
    corrected.py   the same question without the defects
    java.py, javascript.py   values written as source text; limited.py searches with a time limit
    fault.py       the kinds of errors
"""

from studio.engine.metrics.bfcl.metric import BfclAst

__all__ = ["BfclAst"]
