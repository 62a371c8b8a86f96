"""What is kept of meaning: vectors, how far each history was read, what failed."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from apps.timeline.fields import id_field


class Vector(models.Model):
    """The vector of one text of a history, under one model.

    Of a keyed document the item is a key, and `number` the version that left it as it
    was embedded: a vector of anything else than what stands there now counts for
    nothing, and is removed.
    """

    pk = models.CompositePrimaryKey("stream_id", "item", "model")
    stream_id = id_field()
    item = models.CharField(max_length=512, db_collation="C")
    model = models.CharField(max_length=200, db_collation="C")
    number = models.BigIntegerField()
    # One byte a dimension, in units of `scale`; null where the model has none for the
    # text, which is tried again at `retry_at`.
    data = models.BinaryField(null=True)
    scale = models.FloatField()
    retry_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            # Read backwards: the newest first. Keys that descend would be added to the
            # left of their like, where pages stay half empty. Of no model: a document
            # has vectors of two for as long as it takes to make them anew.
            models.Index(
                fields=["stream_id", "number"], name="meaning_vector_by_number"
            ),
            models.Index(
                fields=["retry_at"],
                condition=Q(retry_at__isnull=False),
                name="meaning_vector_retry",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stream_id} {self.item}"


class Stream(models.Model):
    """How far a history's entries are embedded: up to `key` of version `number`.

    `due_at` is since when there is more, as was noticed. What another model embedded,
    up to version `stale_until`, has no vector of this one until `manage.py embed` makes
    it.
    """

    stream_id = id_field(primary_key=True)
    model = models.CharField(max_length=200, db_collation="C")
    number = models.BigIntegerField(default=0)
    key = models.CharField(max_length=512, db_collation="C", default="")
    stale_until = models.BigIntegerField(default=0)
    # Counted up with every change of its vectors.
    revision = models.BigIntegerField(default=0)
    due_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(due_at__isnull=False),
                name="meaning_stream_due",
            ),
        ]

    def __str__(self) -> str:
        return str(self.stream_id)


class PastVector(models.Model):
    """The vector of why a version of a session was made and what it changed.

    Of projects that search old states by meaning. It says whose session it is, so that
    a search walks those of a project, newest first, without asking for any session.
    """

    pk = models.CompositePrimaryKey("session_id", "number", "model")
    session_id = id_field()
    number = models.BigIntegerField()
    model = models.CharField(max_length=200, db_collation="C")
    project_id = id_field()
    agent_id = models.CharField(max_length=32, db_collation="C")
    data = models.BinaryField()
    scale = models.FloatField()

    class Meta:
        indexes = [
            models.Index(
                "project_id",
                "model",
                F("session_id").desc(),
                F("number").desc(),
                name="meaning_pastvector_newest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number}"


class PastStream(models.Model):
    """How far a session's versions are embedded: up to `number`, under one model.

    `noticed` counts up with what is fed; what is due is done with if it has not since.
    """

    session_id = id_field(primary_key=True)
    project_id = id_field()
    model = models.CharField(max_length=200, db_collation="C")
    number = models.BigIntegerField(default=-1)
    noticed = models.BigIntegerField(default=0)
    due_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(due_at__isnull=False),
                name="meaning_paststream_due",
            ),
            models.Index(
                fields=["project_id", "-session_id"],
                name="meaning_paststream_newest",
            ),
        ]

    def __str__(self) -> str:
        return str(self.session_id)


class Backfill(models.Model):
    """How far the sessions from before are noticed, of a project and for a model.

    Newest first: those below `before` are left; null where all are noticed.
    """

    project_id = id_field(primary_key=True)
    model = models.CharField(max_length=200, db_collation="C")
    before = models.CharField(max_length=31, db_collation="C", null=True)

    def __str__(self) -> str:
        return str(self.project_id)


class Failure(models.Model):
    """How often a model failed, and since when it is not asked again."""

    model = models.CharField(max_length=200, db_collation="C", primary_key=True)
    failures = models.BigIntegerField()
    # Since the last success; 0 where the last attempt was one.
    in_a_row = models.BigIntegerField()
    failed_at = models.DateTimeField()
    retry_at = models.DateTimeField(null=True)
    reason = models.TextField()

    def __str__(self) -> str:
        return str(self.model)
