"""Checks whether a text follows an instruction, as IFEval and IFBench do, with nothing to download.

::

    following.py   which of some instructions a response follows, strictly or loosely
    registry.py    every instruction by its id
    asked.py       what an instruction asks for, read from its arguments; what is unclear
    keywords.py  length.py  form.py  whole.py                                   IFEval
    counts.py  ratios.py  letters.py  sequences.py  shapes.py  layouts.py
    fixed_tasks.py  tables.py  repeats.py                                       IFBench
    sentences.py  verbs.py  languages.py  words_of.py   what the checks read a text with

A check is a function of the text and of what is asked.  Each says in its docstring where the
published graders do something else than what the instruction says; it then does both, as asked.
"""
