"""Whether backups are made, and in time: said where health is, and no part of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from apps.core.monitoring.exposition import Family
from apps.core.monitoring.health import Probe

NONE = "no backups"
# One is made a day, tried again every hour: two that failed in a row are late.
LATE_SECONDS = 27 * 3600.0
NEVER = float("inf")


def ask_age() -> float:
    """Return how many seconds old the newest backup is that was read back."""
    from apps.backups.models import Backup

    try:
        newest = Backup.objects.kept().values_list("made_at", flat=True).first()
    finally:
        connections[DEFAULT_DB_ALIAS].close()
    return NEVER if newest is None else (timezone.now() - newest).total_seconds()


PROBE = Probe(ask_age)


def report() -> dict[str, Any]:
    """Return what the ready endpoint tells."""
    if not settings.BACKUPS:
        return {"status": NONE, "age_seconds": None}
    seconds = PROBE.answer()
    if seconds is None or seconds == NEVER:
        return {"status": "unavailable", "age_seconds": None}
    status = "healthy" if seconds < LATE_SECONDS else "late"
    return {"status": status, "age_seconds": round(seconds)}


def families(now: datetime) -> Iterator[Family]:
    """Yield what Prometheus is told: nothing where none was ever made."""
    told = Family(
        "stepback_backup_age_seconds",
        "Seconds since the newest backup that was read back was made.",
    )
    seconds = PROBE.answer()
    if seconds is not None and seconds != NEVER:
        told.add(seconds)
    yield told
