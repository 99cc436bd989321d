"""ACEBench's checker of normal cases.

::

    metric.py      the metric: what is graded, and when it is not
    published.py   the checker, defect for defect; values.py compares values
    corrected.py   the same question without the defects
"""

from studio.engine.metrics.acebench.metric import AceBenchNormal

__all__ = ["AceBenchNormal"]
