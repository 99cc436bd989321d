"""Metrics: opinions on traces, one family a file.

::

    base.py         what a metric is, what is not scored, `score_all`
    catalogue.py    CATALOGUE, `build`, `check_settings`: from a project's words to metrics
    help.py         the help text of each metric, from resources/help/metrics.md
    calls.py        tool-call accuracy (the thesis); arguments.py compares arguments by value
    ragas_calls.py  RAGAS' ToolCallAccuracy; ragas_f1.py its ToolCallF1; ragas_cases.py both
    bfcl/           BFCL's AST match; acebench/ ACEBench's; call_benchmark.py what both have in
                    common, call_fault.py what may be wrong with a call
    trajectory/     agentevals' trajectory match
    agentarch/      AgentArch's tools, arguments, decision, and what is acceptable
    pairing.py      as many pairs of what was wanted and what was done as possible
    call_text.py    calls in a text of Python; cases.py cases as public benchmarks write them
    contains.py     texts in the answer
    number.py       a number in the answer; numbers/ reads numbers from text
    answers/        exact match, GAIA, BFCL's agentic match, multiple choice, patterns, SimpleQA
    ifeval.py       IFEval and IFBench; instructions/ checks the 83 instructions
    confidence/     the confidence that an answer states, the success that it claims
    conversation/   memory and recovery over turns, escalation, checklists
    reflection.py   mistakes that the agent notices and puts right
    retrieval/      recall@k, precision@k, MRR, nDCG@k, context precision
    patterns.py     regular expressions from outside; limited.py ends whatever takes too long
    composite.py    one weighted figure from several metrics
    effort.py       steps, messages, seconds, tokens
    own/            the functions of a project's metrics.py; killable.py a child that can be ended

To add a metric: a subclass of `Metric` in its family's file, one line in the catalogue, one
section on the help page; if it tells success, its name in `analysis.failure_map.judged`.
"""

from studio.engine.metrics.base import Metric, Verdict, score_all
from studio.engine.metrics.catalogue import CATALOGUE, build, check_settings

__all__ = ["CATALOGUE", "Metric", "Verdict", "build", "check_settings", "score_all"]
