"""The Berkeley Function Calling Leaderboard's AST checker.

::

    metric.py            the metric: what is graded, and when it is not
    output.py            what a model gave -> calls; source_text.py reads texts of Java, JavaScript
    published.py         the checker, defect for defect: how many calls, which, with what arguments
    published_values.py  one value; values.py compares texts, lists and objects
    corrected.py         the same question without the defects; loose.py compares values
    java.py, javascript.py   values written as source text; limited.py searches with a time limit
"""

from studio.engine.metrics.bfcl.metric import BfclAst

__all__ = ["BfclAst"]
