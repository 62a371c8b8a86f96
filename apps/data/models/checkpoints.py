"""Checkpoints of an agent's document, and what makes them: schedules and releases."""

from __future__ import annotations

from django.db import models

from apps.data.querysets import CheckpointQuerySet, ScheduleQuerySet
from apps.timeline.fields import id_field


class Checkpoint(models.Model):
    """A version of an agent's document to go back to: config and data as they were.

    It stores neither: the document's history has both. Only `hidden_at` ever changes,
    and what it points to stays.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    # The document's.
    session_id = id_field()
    id = models.CharField(max_length=29, db_collation="C")
    # Counted under the document's lock, from 1: the newest has the highest.
    ordinal = models.BigIntegerField()
    number = models.BigIntegerField()
    config_ordinal = models.BigIntegerField()
    # Of what had not expired by then.
    keys = models.BigIntegerField()
    bytes = models.BigIntegerField()
    label = models.TextField(null=True)
    description = models.TextField(null=True)
    metadata = models.JSONField()
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    # The event of its making, which the agent's audit names.
    event_id = models.CharField(max_length=32, db_collation="C")
    created_at = models.DateTimeField()
    # Since when nobody finds it any more: deleted, or more than policies keep.
    hidden_at = models.DateTimeField(null=True)

    objects = CheckpointQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "ordinal"], name="data_checkpoint_ordinal"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def title(self) -> str:
        """Return what people call it."""
        return str(self.label or self.id)


class Schedule(models.Model):
    """When the next checkpoint of an agent is due, if they are on a schedule."""

    # The document's.
    session_id = id_field(primary_key=True)
    project_id = models.CharField(max_length=31, db_collation="C")
    agent_id = models.CharField(max_length=32, db_collation="C")
    # As it was said: `hourly`, `daily`, or the five fields of cron.
    schedule = models.TextField(db_collation="C")
    due_at = models.DateTimeField()

    objects = ScheduleQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="data_schedule_due")]

    def __str__(self) -> str:
        return f"{self.agent_id} {self.schedule}"


class Release(models.Model):
    """A release of an agent, noted once: when a version that names it was first fed."""

    pk = models.CompositePrimaryKey("session_id", "name")
    # The document's, which the agent need not have yet.
    session_id = id_field()
    name = models.TextField(db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    agent_id = models.CharField(max_length=32, db_collation="C")
    noted_at = models.DateTimeField()
    # When it was seen to that there is a checkpoint from before, if there is to be one.
    kept_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["noted_at"],
                name="data_release_new",
                condition=models.Q(kept_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} {self.name}"
