"""What many scores say together.  The help page `figures.md` explains every figure.

::

    figures.py      all figures of a run, from its rows: begin here
    summary.py      a mean with its counts; intervals.py how sure it is (by quantiles.py)
    reasons.py      why a metric gave trials no value
    passing.py      whether a trial passed
    reliability.py  pass@k, pass^k, k of n; spread.py how far rounds lie apart
    flips.py        what changed between two runs; noise.py what differs with nothing changed
    calibration.py  does the agent know what it knows
    failure_map/    what went wrong in one trial; pareto.py in all of a run
    judged.py       by which criteria, and which versions of metrics
    failures.py     whose doing it was that there is no answer

Light to import (the window computes its own summaries): no scipy, no numpy here.
"""
