"""Whether a worker runs, and how far its projector is behind: asked of the database.

A worker that is missing stops no request, so it degrades nothing; but numbers get
old, deliveries and indexes wait, and whoever looks should see why.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from apps.core.monitoring.exposition import Family
from apps.core.monitoring.fresh import Fresh
from apps.core.monitoring.health import Probe
from apps.timeline import projection

# Heartbeats come every ten seconds; one that was missed is no alarm.
LATE_SECONDS = 45.0
# Searches find what waits as well, but not all of a long backlog.
LONG_LAG_SECONDS = 60.0
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


def ask_lag() -> projection.Lag:
    """Return how far the projector is behind."""
    try:
        return projection.measure_lag()
    finally:
        connections[DEFAULT_DB_ALIAS].close()


LAG = Probe(ask_lag)


def report_projector() -> dict[str, Any]:
    """Return what waits to be indexed; of more than 1,000 rows only that."""
    waiting = LAG.answer()
    if waiting is None:
        return {"status": "unavailable", "lag_seconds": None, "pending": None}
    seconds = waiting.seconds(timezone.now())
    return {
        "status": "healthy" if seconds < LONG_LAG_SECONDS else "degraded",
        "lag_seconds": round(max(seconds, 0.0), 1),
        "pending": waiting.rows,
    }


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
    waiting = LAG.answer()
    if waiting is not None:
        behind = Family(
            "stepback_projector_lag_seconds",
            "Seconds that the oldest write has waited to be indexed.",
        )
        behind.add(max(waiting.seconds(now), 0.0))
        yield behind


STATUS: Fresh[str] = Fresh(lambda: report()["status"], seconds=5.0)


def state() -> str:
    """As `report`, its status alone, asked at most every few seconds: for pages."""
    return STATUS.get()
