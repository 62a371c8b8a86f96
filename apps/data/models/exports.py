"""Pieces of an audit that were asked for."""

from __future__ import annotations

from django.db import models


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
