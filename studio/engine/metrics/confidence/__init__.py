"""What an agent says of its own work: how sure it is, and whether it claims to have done it.

::

    stated.py   a confidence that stands in a text
    claims.py   whether a text claims that what was asked was done (claim_words.py)
    metrics.py  both as metrics

What a run makes of them (calibration, claimed-success precision) is in `analysis.calibration`.
"""

from studio.engine.metrics.confidence.metrics import ClaimedSuccess, StatedConfidence

__all__ = ["ClaimedSuccess", "StatedConfidence"]
