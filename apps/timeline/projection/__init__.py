"""Tables that follow from history: what is open, and what search and blame read."""

from apps.timeline.projection.lag import (
    Lag,
    measure_lag,
    waiting_since,
    waiting_versions,
)
from apps.timeline.projection.projector import (
    AT_ONCE,
    Round,
    Step,
    project_all,
    project_round,
    project_session,
    project_some,
)

__all__ = [
    "AT_ONCE",
    "Lag",
    "Round",
    "Step",
    "measure_lag",
    "project_all",
    "project_round",
    "project_session",
    "project_some",
    "waiting_since",
    "waiting_versions",
]
