"""Restores of more keys than one version sets."""

from __future__ import annotations

from django.db import models

from apps.core.actors import Actor, ActorKind
from apps.data.querysets import LongRestoreQuerySet
from apps.timeline.fields import id_field


class RestoreState(models.TextChoices):
    """What has become of a restore that goes by steps."""

    RUNNING = "running"
    DONE = "done"
    # A step was refused: what the steps before it brought back stands.
    FAILED = "failed"


class LongRestore(models.Model):
    """A restore of more keys than one version sets: it goes by steps.

    What it writes are versions like any others; the row only says how far it has come.
    The request that began it makes the steps, or the worker; each may go on for the
    other.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    # The document's.
    session_id = id_field()
    id = models.CharField(max_length=30, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    agent_id = models.CharField(max_length=32, db_collation="C")
    checkpoint_id = models.CharField(max_length=29, db_collation="C")
    of_config = models.BooleanField()
    of_data = models.BooleanField()
    reasoning = models.TextField(null=True)
    # The head that was shown to whoever confirmed it.
    seen = models.BigIntegerField()
    # Keys touched between the checkpoint and that head; null until they are counted.
    total = models.BigIntegerField(null=True)
    # Of these so many were gone through, and the next step begins with this key.
    passed = models.BigIntegerField(default=0)
    next_key = models.TextField(default="", db_collation="C")
    steps = models.BigIntegerField(default=0)
    changed = models.BigIntegerField(default=0)
    removed = models.BigIntegerField(default=0)
    lapsed = models.BigIntegerField(default=0)
    # Of the checkpoint, but written by others before their step: left as written.
    skipped = models.BigIntegerField(default=0)
    config_changed = models.BooleanField(default=False)
    # The version of the newest step.
    number = models.BigIntegerField(null=True)
    state = models.CharField(max_length=8, choices=RestoreState.choices)
    # Why it failed.
    code = models.TextField(default="", db_collation="C")
    words = models.TextField(default="")
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    request_id = models.TextField(db_collation="C")
    # By which the request that began it is known when it is repeated.
    request_key = models.TextField(null=True, db_collation="C")
    request_digest = models.BinaryField(null=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = LongRestoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id"],
                name="data_longrestore_running",
                condition=models.Q(state="running"),
            ),
            models.UniqueConstraint(
                fields=["session_id", "request_key"],
                name="data_longrestore_once_a_key",
                condition=models.Q(request_key__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["created_at"],
                name="data_longrestore_waiting",
                condition=models.Q(state="running"),
            )
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_running(self) -> bool:
        return self.state == RestoreState.RUNNING

    @property
    def actor(self) -> Actor:
        kind = ActorKind(self.actor_kind)
        return Actor(kind=kind, id=self.actor_id, label=self.actor_label)
