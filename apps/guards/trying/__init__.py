"""Try a guard on what is stored: the same functions that judge a write, read-only."""

from apps.guards.trying.histories import moments_of
from apps.guards.trying.running import sweep
from apps.guards.trying.windows import Seen

__all__ = ["Seen", "moments_of", "sweep"]
