"""What many scores say together: summaries, and the quantiles behind their intervals.

Light to import (the window computes its own summaries): no scipy, no numpy here.
"""
