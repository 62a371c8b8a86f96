"""What is owed for effects that a rollback went behind; `models.py` passes it on."""

from django.db import models

from apps.timeline.effects.querysets import CompensationQuerySet
from apps.timeline.fields import id_field
from apps.timeline.words import CompensationStatus


class Compensation(models.Model):
    """An effect that a rollback has crossed: the restored state does not know of it.

    There is one of an effect for ever, written by the rollback that crossed it first.
    It is open until a step says otherwise.
    """

    pk = models.CompositePrimaryKey("session_id", "effect_id")
    session_id = id_field()
    effect_id = id_field()
    rollback_number = models.BigIntegerField()
    created_at = models.DateTimeField()

    objects = CompensationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["session_id", "rollback_number"],
                name="timeline_compensation_of_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.effect_id}"


class CompensationStep(models.Model):
    """What became of a compensation; the last one counts."""

    pk = models.CompositePrimaryKey("session_id", "effect_id", "ordinal")
    session_id = id_field()
    effect_id = id_field()
    # From 1 on.
    ordinal = models.BigIntegerField()
    status = models.CharField(max_length=9, choices=CompensationStatus.choices)
    reason = models.TextField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.session_id} {self.effect_id} {self.status}"
