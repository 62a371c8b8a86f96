"""Versions of a session, and the stored bytes that they show."""

from typing import Any, Self

from django.db import models

from apps.timeline import bodies
from apps.timeline.fields import id_field
from apps.timeline.words import Hold, KeyedOp, Op


class Version(models.Model):
    """One immutable state of a session, and why it came to be."""

    pk = models.CompositePrimaryKey("session_id", "number")
    session_id = id_field()
    number = models.BigIntegerField()
    op = models.CharField(max_length=16, choices=[*Op.choices, *KeyedOp.choices])
    restored_number = models.BigIntegerField(null=True)
    undo_of = models.BigIntegerField(null=True)
    # The second parent of what was merged, the digest of what was chosen for conflicts,
    # and whether opaque parts came from there, which is what a checkpointer goes by.
    source_session_id = id_field(null=True)
    source_number = models.BigIntegerField(null=True)
    source_digest = models.BinaryField(null=True)
    source_opaque = models.BooleanField(null=True)
    reason_code = models.TextField(null=True)
    parent_number = models.BigIntegerField(null=True)
    body_number = models.BigIntegerField()
    external_id = models.TextField(null=True)

    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    reasoning = models.TextField(null=True)
    trace_id = models.TextField()
    step_number = models.BigIntegerField(null=True)
    step_parent_id = models.TextField(null=True)
    objective_status = models.TextField(null=True)
    schema_version = models.TextField(null=True)
    release = models.TextField(null=True)
    model = models.TextField(null=True)

    size = models.BigIntegerField()
    flags = models.JSONField()
    hold = models.CharField(max_length=8, choices=Hold.choices)
    # For showing: short before/after of the first changes. Derived, not proven.
    changes = models.JSONField()
    change_count = models.BigIntegerField()
    changes_truncated = models.BooleanField()

    request_key = models.TextField(null=True)
    request_digest = models.BinaryField()
    # On the last version of a batch, which has its key: where the batch begins.
    first_number = models.BigIntegerField(null=True)
    salt = models.BinaryField()
    reasoning_digest = models.BinaryField()
    step_digest = models.BinaryField()
    commitment = models.BinaryField()
    leaf = models.BinaryField()
    chain = models.BinaryField()
    requested_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "request_key"],
                name="timeline_version_one_per_request_key",
                condition=models.Q(request_key__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["session_id", "external_id"],
                name="timeline_version_one_per_external_id",
                # In byte order, so that a beginning is a range of it, too.
                opclasses=["varchar_ops", "text_pattern_ops"],
                condition=models.Q(external_id__isnull=False),
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=0),
                name="timeline_version_number_from_zero",
            ),
            models.CheckConstraint(
                condition=models.Q(restored_number__isnull=True)
                | models.Q(restored_number__lt=models.F("number")),
                name="timeline_version_restores_an_earlier_one",
            ),
        ]
        indexes = [
            # Which versions are set aside is read from the rollbacks alone.
            models.Index(
                fields=["session_id", "-number"],
                name="timeline_version_rollbacks",
                condition=models.Q(restored_number__isnull=False),
            ),
            # What was brought back already: asked by each promotion.
            models.Index(
                fields=["session_id", "source_session_id", "-number"],
                name="timeline_version_merged",
                condition=models.Q(source_session_id__isnull=False),
            ),
            # Who else shows a body: asked of each that a removal takes. Were versions
            # with a body of their own in it, each append wrote to it, and plans made
            # for short sessions took it, by session alone, for the key.
            models.Index(
                fields=["session_id", "body_number"],
                name="timeline_version_shows_another",
                condition=~models.Q(body_number=models.F("number")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number}"

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a stored version, what is said of it opened where that was sealed.

        Raises: KeysUnavailable.
        """
        version = super().from_db(*args, **kwargs)
        known = version.__dict__
        if "session_id" in known and "reasoning" in known:
            said = bodies.opened_text(version.session_id, version.reasoning)
            version.reasoning = said
        if "session_id" in known and "changes" in known:
            shown = bodies.opened_changes(version.session_id, version.changes)
            version.changes = shown
        return version


class Body(models.Model):
    """The stored bytes of a version's parts; several versions may show one body."""

    pk = models.CompositePrimaryKey("session_id", "number")
    session_id = id_field()
    number = models.BigIntegerField()
    base_number = models.BigIntegerField(null=True)
    depth = models.SmallIntegerField()
    codec = models.SmallIntegerField()
    salt = models.BinaryField()
    data = models.BinaryField()
    size = models.BigIntegerField()

    class Meta:
        indexes = [
            # What builds on a body: asked of each that a removal takes.
            models.Index(
                fields=["session_id", "base_number"],
                name="timeline_body_building",
                condition=models.Q(base_number__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} body {self.number}"
