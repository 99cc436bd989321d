"""Pauses between questions to a server that is gone, and how its absences are told."""

import itertools
import time

from studio.engine.models.absences import in_words
from studio.engine.models.returning import pauses
from studio.engine.server_facts import Absence


def test_the_pauses_grow_up_to_five_minutes_and_do_not_end():
    assert list(itertools.islice(pauses(), 10)) == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_absences_are_told_with_their_times():
    noon = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
    short = Absence(noon, noon + 95)
    over_night = Absence(noon, noon + 86_400, "0.13.0")
    assert in_words(()) == ""
    told = in_words((short, Absence(noon + 200)))
    assert told == (
        "was gone from 30 Nov 2026, 12:00:00 to 12:01:35 and since 30 Nov 2026, 12:03:20"
    )
    assert in_words((over_night,)) == (
        "was gone from 30 Nov 2026, 12:00:00 to 1 Dec 2026, 12:00:00 (then version 0.13.0)"
    )
    assert in_words((short,) * 5).startswith("was gone 5 times, the last ones from")
    assert in_words((short,) * 5).count(" to ") == 3
