"""Whether a worker runs: what its heartbeat says, asked of the database.

A worker that is missing stops no request, so it degrades nothing; but numbers get
old and deliveries wait, and whoever looks should see why.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.monitoring.exposition import Family
from apps.core.monitoring.fresh import Fresh
from apps.core.monitoring.health import Probe

# Heartbeats come every ten seconds; one that was missed is no alarm.
LATE_SECONDS = 45.0
HEARTBEAT = """
SELECT extract(epoch FROM now() - max(last_heartbeat))::float8
  FROM procrastinate_workers
"""
NEVER = float("inf")


def ask_heartbeat() -> float:
    """Return how many seconds ago the last heartbeat of any worker was."""
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with connection.cursor() as cursor:
            cursor.execute(HEARTBEAT)
            (seconds,) = cursor.fetchone() or (None,)
    finally:
        connection.close()
    return NEVER if seconds is None else float(seconds)


PROBE = Probe(ask_heartbeat)


def report() -> dict[str, Any]:
    """Return what the ready endpoint and the console's footer tell."""
    seconds = PROBE.answer()
    if seconds is None or seconds == NEVER:
        return {"status": "unavailable", "last_seen_seconds": None}
    status = "healthy" if seconds < LATE_SECONDS else "unavailable"
    return {"status": status, "last_seen_seconds": round(seconds, 1)}


def families(now: datetime) -> Iterator[Family]:
    """Yield what Prometheus is told: nothing, where no worker ever was."""
    told = Family(
        "stepback_worker_heartbeat_age_seconds",
        "Seconds since the last heartbeat of any worker.",
    )
    seconds = PROBE.answer()
    if seconds is not None and seconds != NEVER:
        told.add(seconds)
    yield told


STATUS: Fresh[str] = Fresh(lambda: report()["status"], seconds=5.0)


def state() -> str:
    """As `report`, its status alone, asked at most every few seconds: for pages."""
    return STATUS.get()
