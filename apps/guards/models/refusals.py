"""Writes that guards refused: of these nothing is stored but that it was so."""

from typing import ClassVar

from django.db import models

from apps.guards.models.guards import Guard
from apps.guards.querysets import RefusalQuerySet
from apps.guards.words import Did
from apps.timeline.fields import id_field


class Refusal(models.Model):
    """That one revision of a guard refused one write. Written once, never changed.

    History says nothing of such a write, so this does not follow from it. It has
    nothing of the state: neither values nor places.
    """

    # Beside verdicts, which follow from history.
    did: ClassVar[str] = Did.REFUSED
    turn_number: ClassVar[int] = 0

    id = id_field(primary_key=True)
    project_id = id_field()
    # Null where a session would have begun.
    session_id = id_field(null=True)
    # The number that the version would have had, or of the head that a turn found.
    number = models.BigIntegerField()
    guard = models.ForeignKey(
        Guard, on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    revision = models.IntegerField()
    is_undecided = models.BooleanField()
    # A digest of the request and its idempotency key: a repeated one counts once.
    request_key = models.BinaryField(null=True)
    # Of whoever wrote.
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = RefusalQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["guard", "-created_at", "-id"], name="guards_refusal_of_guard"
            ),
            models.Index(
                fields=["session_id", "-number"],
                name="guards_refusal_of_session",
                condition=models.Q(session_id__isnull=False),
            ),
            models.Index(
                fields=["created_at"],
                name="guards_refusal_of_none",
                condition=models.Q(session_id__isnull=True),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["project_id", "session_id", "request_key", "guard"],
                name="guards_refusal_once_a_request",
                nulls_distinct=False,
                condition=models.Q(request_key__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.guard_id} refused v{self.number} of {self.session_id}"
