"""Whether the sweeping process runs: asked of the database.

One that is missing stops no request: what is due waits for it, and whoever looks
should see why nothing goes.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from apps.core.monitoring.exposition import Family
from apps.core.monitoring.fresh import Fresh
from apps.core.monitoring.health import Probe

# Heartbeats come every ten seconds; one that was missed is no alarm.
LATE_SECONDS = 45.0
NEVER = float("inf")


def ask_heartbeat() -> float:
    """Return how many seconds ago the last heartbeat was."""
    from apps.retention.models import Heartbeat

    try:
        at = Heartbeat.objects.values_list("at", flat=True).first()
    finally:
        connections[DEFAULT_DB_ALIAS].close()
    return NEVER if at is None else (timezone.now() - at).total_seconds()


PROBE = Probe(ask_heartbeat)


def report() -> dict[str, Any]:
    """Return what the ready endpoint tells."""
    seconds = PROBE.answer()
    if seconds is None or seconds == NEVER:
        return {"status": "unavailable", "last_seen_seconds": None}
    status = "healthy" if seconds < LATE_SECONDS else "unavailable"
    return {"status": status, "last_seen_seconds": round(seconds, 1)}


def families(now: datetime) -> Iterator[Family]:
    """Yield what Prometheus is told: nothing, where no process ever was."""
    told = Family(
        "stepback_retention_heartbeat_age_seconds",
        "Seconds since the last heartbeat of the process that removes.",
    )
    seconds = PROBE.answer()
    if seconds is not None and seconds != NEVER:
        told.add(seconds)
    yield told


STATUS: Fresh[str] = Fresh(lambda: report()["status"], seconds=5.0)


def state() -> str:
    """As `report`, its status alone, asked at most every few seconds: for pages."""
    return STATUS.get()
