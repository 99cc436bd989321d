"""Has the agent gone round in circles?"""

from collections.abc import Sequence

from studio.engine.analysis.failure_map.made import Made
from studio.engine.metrics.arguments import same_value
from studio.engine.outcomes import FailureMode
from studio.engine.records import Finding

TIMES = 3
LONGEST = 4
_MOST = 10_000


def loop(made: Sequence[Made]) -> Finding | None:
    """The first sequence of up to 4 calls that was made 3 times in a row with the same results.

    Asking again while the results change, as for the state of a job, is no loop.  The place is
    that of the call with which the sequence begins again for the first time.
    """
    made = made[:_MOST]
    for period in range(1, LONGEST + 1):
        alike = 0
        for place in range(period, len(made)):
            alike = alike + 1 if _is_same(made[place], made[place - period]) else 0
            if alike == period * (TIMES - 1):
                again = made[place - alike + 1]
                names = ", ".join(call.name for call in made[place - period + 1 : place + 1])
                told = f"{names} {TIMES} times in a row, with the same results"
                return Finding(FailureMode.LOOP, told, again.place)
    return None


def _is_same(one: Made, other: Made) -> bool:
    if one.name != other.name or not same_value(one.arguments, other.arguments):
        return False
    first, second = one.result, other.result
    if first is None or second is None:
        return True
    return (first.content, first.error) == (second.content, second.error)
