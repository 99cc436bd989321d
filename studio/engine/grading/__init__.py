"""The grader lab: grades cases that never were a run, one JSON object a line.

::

    lines.py    a stream of lines -> a stream of verdicts, in bounded memory
    case.py     a case in the general shape -> a query and a trace
    expected.py what a case says was expected; calls.py what was done; fields.py the rest
    results.py  what came back to the calls of messages
    stated.py   whether it says what was done at all
    target.py   where the verdicts go

A case in the shape of a metric's public benchmark goes to the metric as it stands (see
`metrics.cases.OwnCases`).
"""

from studio.engine.grading.lines import Graded, Tally, grade, graded_blocks, graded_lines

__all__ = ["Graded", "Tally", "grade", "graded_blocks", "graded_lines"]
