"""Sessions as they are taken out: whole, as the API tells of them."""

from apps.timeline.api.trajectories.lines import (
    FORMAT,
    line,
    sealed,
    told_of,
    trajectory,
)
from apps.timeline.api.trajectories.pages import (
    about,
    turn_page,
    version_objects,
    version_page,
    version_rows,
)

__all__ = [
    "FORMAT",
    "about",
    "line",
    "sealed",
    "told_of",
    "trajectory",
    "turn_page",
    "version_objects",
    "version_page",
    "version_rows",
]
