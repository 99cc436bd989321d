"""Whether a trajectory matches a reference, in agentevals' words.

::

    messages.py   messages in any of the usual shapes -> roles and tool calls (see message.py);
                  blocks.py reads those whose content is a list of blocks
    match.py      the four ways in which trajectories, and arguments, can match
    metric.py     the metric
"""

from studio.engine.metrics.trajectory.metric import TrajectoryMatch

__all__ = ["TrajectoryMatch"]
