"""What was done: an event for every act, and the chained records of streams.

Both outlive what they speak of, so they hold plain ids and text labels and know
nobody's models. Rows are never changed; a trigger refuses it.
"""

from django.db import models
from django.db.models import F, Q

from apps.audit.querysets import (
    MEMORY,
    SOURCE_SESSION,
    AuditRecordQuerySet,
    EventQuerySet,
)


class Act(models.Model):
    """The columns that an event and a record have in common."""

    action = models.CharField(max_length=64, db_collation="C")
    resource_type = models.CharField(max_length=32, db_collation="C")
    resource_id = models.TextField(db_collation="C")
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True


class Event(Act):
    """One act, in the stream of its session (or, outside sessions, its project)."""

    pk = models.CompositePrimaryKey("stream_id", "id")
    stream_id = models.CharField(max_length=31, db_collation="C")
    id = models.CharField(max_length=32, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    # The version that the act made, where it made one.
    number = models.BigIntegerField(null=True)
    request_id = models.TextField(db_collation="C")

    objects = EventQuerySet.as_manager()

    class Meta:
        # A stream newest first is the primary key, read backwards; an id is looked for
        # in a project. Memories have streams of their own, and tell of their sessions.
        indexes = [
            models.Index(fields=["project_id", "-id"], name="audit_event_by_project"),
            models.Index(
                fields=["project_id", "action", "id"], name="audit_event_by_action"
            ),
            models.Index(
                F("project_id"),
                SOURCE_SESSION,
                F("id"),
                name="audit_event_of_memories",
                condition=Q(resource_type=MEMORY),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.id}"


class Outbox(models.Model):
    """An event that is not fed yet; `feeding` takes the row away.

    Those of versions and turns are fed from what they leave pending.
    """

    pk = models.CompositePrimaryKey("stream_id", "event_id")
    stream_id = models.CharField(max_length=31, db_collation="C")
    event_id = models.CharField(max_length=32, db_collation="C")
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["event_id"], name="audit_outbox_oldest")]

    def __str__(self) -> str:
        return str(self.event_id)


class AuditRecord(Act):
    """One act, chained to the one before it in its stream.

    A project's stream (or that of acts outside projects) has the acts of people and
    administrators; an agent's has every operation on its data, also blocked ones.
    `format` says how the leaf was computed, and which columns are used; the others are
    empty. With its `salt`, `resource_id` may be erased in the second, `details` in the
    third.
    """

    pk = models.CompositePrimaryKey("stream_id", "number")
    # As wide as an agent's id, which is one character longer than a project's.
    stream_id = models.CharField(max_length=32, db_collation="C")
    number = models.BigIntegerField()
    project_id = models.CharField(max_length=31, db_collation="C")
    event_id = models.CharField(max_length=32, db_collation="C")
    format = models.SmallIntegerField(default=1)
    # What came of it, and the policy that blocked it.
    result = models.CharField(max_length=16, null=True, db_collation="C")
    rule = models.TextField(null=True, db_collation="C")
    # The version of the agent's document that the act made, where it made one.
    version = models.BigIntegerField(null=True)
    salt = models.BinaryField(null=True)
    resource_digest = models.BinaryField(null=True)
    details_digest = models.BinaryField(null=True)
    leaf = models.BinaryField()
    chain = models.BinaryField()

    objects = AuditRecordQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(number__gte=1),
                name="audit_auditrecord_number_from_one",
            ),
            models.UniqueConstraint(
                fields=["stream_id", "event_id"],
                name="audit_auditrecord_one_per_event",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stream_id} #{self.number} {self.action}"
