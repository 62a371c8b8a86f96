"""Exports, and the pieces of their files.

The bytes of a piece are an object in the store of files. The object is written first
and its row then, in the transaction that moves the cursor; it is deleted first and its
row then. So no row that counts is without its object, and what has no row goes.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models

from apps.exports.names import PieceName
from apps.exports.querysets import ExportQuerySet, PieceQuerySet
from apps.exports.words import Kind, State, Waits
from apps.timeline.fields import id_field


class Export(models.Model):
    """What somebody asked to have as a file, and how far it is."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    kind = models.CharField(max_length=16, choices=Kind.choices, db_collation="C")
    # Whose, the filters, and `unmasked`.
    asked = models.JSONField(default=dict)
    state = models.CharField(
        max_length=8, choices=State.choices, default=State.MAKING, db_collation="C"
    )
    # Where the next step goes on, and whether all of them are done.
    cursor = models.JSONField(default=dict)
    is_written = models.BooleanField(default=False)
    # What keeps it from going on.
    waits_for = models.CharField(
        max_length=8, choices=Waits.choices, default="", blank=True, db_collation="C"
    )
    pieces = models.IntegerField(default=0)
    rows = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    # What is not in it, by the reason.
    left_out = models.JSONField(default=dict)
    # Entries of a zip file, and what was recomputed of chains of records.
    entries = models.IntegerField(default=0)
    verified = models.JSONField(default=list)
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
    """Successive bytes of an export's file: where they are, and how many.

    Those of an export that is neither made nor ready are on their way out.
    """

    pk = models.CompositePrimaryKey("export_id", "number")
    export = models.ForeignKey(Export, on_delete=models.PROTECT, db_index=False)
    number = models.IntegerField()
    generation = models.BigIntegerField()
    size = models.IntegerField()
    # What the end of a zip file says of the entries that begin here.
    directory = models.BinaryField(default=b"")

    objects = PieceQuerySet.as_manager()

    def __str__(self) -> str:
        return self.object_name

    @property
    def object_name(self) -> str:
        """Return where it is in the store."""
        return str(PieceName(self.export_id, self.number, self.generation))
