"""All instructions by their id, family by family."""

from collections.abc import Mapping
from types import MappingProxyType

from studio.engine.metrics.instructions import (
    counts,
    fixed_tasks,
    form,
    keywords,
    layouts,
    length,
    letters,
    ratios,
    repeats,
    sequences,
    shapes,
    tables,
    whole,
)
from studio.engine.metrics.instructions.asked import Rule

IFEVAL: Mapping[str, Rule] = MappingProxyType(
    {**keywords.RULES, **length.RULES, **form.RULES, **whole.RULES}
)
"""The 25 instructions of IFEval."""

IFBENCH: Mapping[str, Rule] = MappingProxyType(
    {
        **counts.RULES,
        **ratios.RULES,
        **letters.RULES,
        **sequences.RULES,
        **shapes.RULES,
        **layouts.RULES,
        **fixed_tasks.RULES,
        **tables.RULES,
        **repeats.RULES,
    }
)
"""The 58 instructions of IFBench."""

ALL: Mapping[str, Rule] = MappingProxyType({**IFEVAL, **IFBENCH})
