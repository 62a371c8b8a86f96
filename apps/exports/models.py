"""Exports, and the pieces of their files.

The file lies in the database, not beside it: so a step that writes, an erasure and an
end are each one transaction, and no file is ever without its row.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models

from apps.exports.querysets import ExportQuerySet
from apps.exports.words import Kind, State
from apps.timeline.fields import id_field


class Export(models.Model):
    """What somebody asked to have as a file, and how far it is."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    kind = models.CharField(max_length=16, choices=Kind.choices, db_collation="C")
    # The filters, and `unmasked`.
    asked = models.JSONField(default=dict)
    state = models.CharField(
        max_length=8, choices=State.choices, default=State.MAKING, db_collation="C"
    )
    # The last session that was looked at, while it is made.
    cursor = id_field(default="", blank=True)
    pieces = models.IntegerField(default=0)
    rows = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    # Sessions that are not in it, by the reason.
    left_out = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64, default="", db_collation="C")
    error = models.TextField(default="", blank=True)
    asked_by_label = models.TextField()
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    objects = ExportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=State.values),
                name="exports_export_state_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="exports_export_newest"),
            models.Index(
                fields=["id"],
                name="exports_export_making",
                condition=models.Q(state="making"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"

    def is_there(self, now: datetime) -> bool:
        """Say whether its file can be downloaded at this moment."""
        is_kept = self.expires_at is not None and now < self.expires_at
        return self.state == State.READY and is_kept


class Piece(models.Model):
    """Successive bytes of an export's file."""

    pk = models.CompositePrimaryKey("export_id", "number")
    export = models.ForeignKey(Export, on_delete=models.PROTECT, db_index=False)
    number = models.IntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.export_id} {self.number}"
