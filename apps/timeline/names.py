"""Names that stand for a session before there is one: a caller's own, a request's key.

Beside them who holds a shared document. `models.py` passes all on.
"""

from django.db import models

from apps.timeline.fields import id_field


class SessionName(models.Model):
    """The session behind a name that the caller chose; written before the session."""

    pk = models.CompositePrimaryKey("project_id", "external_id")
    project_id = id_field()
    external_id = models.CharField(max_length=255, db_collation="C")
    session_id = id_field()

    def __str__(self) -> str:
        return str(self.external_id)


class RequestKey(models.Model):
    """An idempotency key of a create or fork; gives a retry the same session id.

    Title, metadata and lifetime are kept as they were asked for: a replay answers with
    them, whatever became of the session since.
    """

    pk = models.CompositePrimaryKey("project_id", "key")
    project_id = id_field()
    key = models.CharField(max_length=255, db_collation="C")
    digest = models.BinaryField()
    session_id = id_field()
    title = models.TextField(null=True)
    metadata = models.BinaryField()
    expires_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.key)


class Lease(models.Model):
    """Who may write to a shared document alone, and until when by the database's clock.

    A row stays when its time is over: `fence` only grows, and the append refuses every
    other. Written by `timeline_lease_v1` alone.
    """

    session_id = id_field(primary_key=True)
    # What the holder calls itself, among those who act under the same key.
    holder = models.TextField()
    actor_id = models.TextField()
    fence = models.BigIntegerField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(fence__gte=1), name="timeline_lease_fence_from_one"
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} fence {self.fence}"
