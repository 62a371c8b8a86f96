"""The sweep: what is due goes, step by step, and what a preview would take is counted.

Each step of a session is one transaction, in which the run's cursor moves and its
counts grow. So a sweep that is killed has done whole steps, the next one goes on behind
them, and of two at once each does the step that the other has not.
"""

from apps.retention.sweeping.previewing import count_previews
from apps.retention.sweeping.running import never, sweep

__all__ = ["count_previews", "never", "sweep"]
