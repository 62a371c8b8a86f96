"""What is kept of agents' data beside the ledger."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from apps.core.actors import Actor, ActorKind
from apps.data.querysets import (
    CheckpointQuerySet,
    ExceptionQuerySet,
    LongRestoreQuerySet,
    ScheduleQuerySet,
)
from apps.timeline.fields import id_field


class ExportFormat(models.TextChoices):
    """How an export is written."""

    JSON = "json"  # a line for each event
    CSV = "csv"


class Export(models.Model):
    """A piece of an agent's audit, frozen when it was asked for, for a while.

    The records themselves are the stream's: they do not change, so their numbers say
    what the file has. Without any, `to_number` is one less than `from_number`.
    """

    pk = models.CompositePrimaryKey("stream_id", "id")
    stream_id = models.CharField(max_length=32, db_collation="C")
    id = models.CharField(max_length=31, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    format = models.CharField(max_length=8, choices=ExportFormat.choices)
    from_number = models.BigIntegerField()
    to_number = models.BigIntegerField()
    # The link of the last record; 32 zero bytes before the first.
    chain_end = models.BinaryField()
    # What the answer said of the chain, null where nobody asked.
    verification = models.JSONField(null=True)
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(format__in=ExportFormat.values),
                name="data_export_format_is_known",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def event_count(self) -> int:
        return self.to_number - self.from_number + 1


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


class PolicyException(models.Model):
    """Something that a policy of an agent blocks and that people have let pass.

    Of one exact text it has the fingerprint, never the text; else keys that begin with
    the prefix are meant. Only `ended_at` ever changes.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    # The agent's document.
    session_id = id_field()
    id = models.CharField(max_length=30, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    rule = models.CharField(max_length=64, db_collation="C")
    fingerprint = models.BinaryField(null=True)
    prefix = models.TextField(null=True, db_collation="C")
    # What the block was about, as its record says it; empty where none was named.
    kind = models.TextField(blank=True, default="")
    place = models.TextField(blank=True, default="")
    masked = models.TextField(blank=True, default="")
    reason = models.TextField()
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Since when it holds no more, because somebody has ended it.
    ended_at = models.DateTimeField(null=True)

    objects = ExceptionQuerySet.as_manager()

    class Meta:
        db_table = "data_exception"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(fingerprint__isnull=True)
                ^ models.Q(prefix__isnull=True),
                name="data_exception_names_a_text_or_a_prefix",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    def holds_at(self, now: datetime) -> bool:
        """Say whether it lets anything pass at this moment."""
        return self.ended_at is None and self.expires_at > now

    def covers(self, rule: str, key: str, fingerprint: str | None) -> bool:
        """Say whether this is what lets such a text, under such a key, pass."""
        if rule != self.rule:
            return False
        if self.prefix is not None:
            return key.startswith(self.prefix)
        mark = self.fingerprint
        return mark is not None and bytes(mark).hex() == fingerprint


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
