"""Within which time sessions are expected to write again.

An append writes nothing here: the sweep takes what is due, and looks at the session's
newest version or turn.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models

from apps.heartbeats.errors import HeartbeatNotFound
from apps.timeline.fields import id_field


class HeartbeatQuerySet(models.QuerySet["Heartbeat"]):
    def due(self, *, now: datetime) -> HeartbeatQuerySet:
        """Those to look at, the longest due first; what another sweep holds is not."""
        due = self.filter(due_at__lte=now).order_by("due_at", "session_id")
        return due.select_for_update(skip_locked=True)

    def of_session(self, session_id: str) -> Heartbeat:
        """Raises: HeartbeatNotFound."""
        found = self.filter(session_id=session_id).first()
        if found is None:
            raise HeartbeatNotFound
        return found


class Heartbeat(models.Model):
    """How often a session is expected to write, and when that is looked at next."""

    session_id = id_field(primary_key=True)
    project_id = id_field()
    # Seconds.
    every = models.BigIntegerField()
    due_at = models.DateTimeField()
    # Since when it is silent; set once that was told, until it is heard again.
    silent_since = models.DateTimeField(null=True)
    # Whether the agent's default gave it.
    is_default = models.BooleanField()

    objects = HeartbeatQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(every__gte=1), name="heartbeats_every_second_at_most"
            )
        ]
        indexes = [
            models.Index(
                fields=["due_at", "session_id"], name="heartbeats_heartbeat_due"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} every {self.every} s"


class AgentHeartbeat(models.Model):
    """The heartbeat that an agent's sessions begin with from now on."""

    agent: Any = models.OneToOneField(
        "agents.Agent", on_delete=models.PROTECT, primary_key=True
    )
    project_id = id_field()
    every = models.BigIntegerField()
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(every__gte=1),
                name="heartbeats_default_every_second_at_most",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} every {self.every} s"
