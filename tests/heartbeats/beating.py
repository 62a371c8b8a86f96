"""Heartbeats as tests set them, and sweeps at a moment that they name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from apps.audit.models import Event
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.heartbeats import operations as heartbeats
from tests.acting import acting_as
from tests.conftest import Answer
from tests.timeline.runs import Run

TOLD = ("session.silent", "session.heard")


def expect(run: Run, every: Any = 60) -> Answer:
    return run.client.put(run.path("heartbeat"), {"every": every})


def sweep_in(seconds: float) -> int:
    """Sweep as if so many seconds had passed."""
    return sweep_at(timezone.now() + timedelta(seconds=seconds))


def sweep_at(now: datetime) -> int:
    with acting_as(Role.WORKER):
        return heartbeats.sweep(actor=SYSTEM, now=now)


def told(run: Run) -> list[str]:
    """Return what was told of the session's silence, in its order."""
    events = Event.objects.filter(stream_id=run.id, action__in=TOLD)
    return list(events.order_by("created_at", "id").values_list("action", flat=True))
