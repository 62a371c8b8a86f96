"""What has ever been, in a project: from the rollups, and the rest counted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from apps.metrics.figures import Figures
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range

BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)


def ever(project_id: str, agents: Sequence[str] | None, *, now: datetime) -> Figures:
    """Return the sums of all time; who was active is no question of all time."""
    reading = Reading(project_id, Range(start=BEGINNING, end=now), agents)
    return reading.sums()
