"""Is the answer the right one?  Graders of short answers, each as its benchmark has it.

::

    base.py      an answer held against the right ones
    exact.py     the same text: SQuAD's exact match
    gaia.py      GAIA's quasi-exact match of numbers, lists and texts
    words.py     the right answer stands in the answer as whole words: BFCL's agentic match
    choice.py    the letter of a multiple-choice question: simple-evals
    pattern.py   a regular expression is found, within a time limit
    outputs.py   what the agent had to tell: tau-bench's outputs
    simpleqa.py  the three grades of SimpleQA, as a judge gave them, and its figures
"""
