"""What people attach to a history without changing it: labels and notes.

Neither is state, so neither makes a version. A label can be taken away again; a note
stays as it was written. `models.py` passes both on.
"""

from django.db import models

from apps.timeline.fields import id_field
from apps.timeline.querysets import LabelQuerySet, NoteQuerySet


class Label(models.Model):
    """A name that somebody gave a version, such as `known-good`."""

    pk = models.CompositePrimaryKey("session_id", "name", "number")
    session_id = id_field()
    name = models.CharField(max_length=100, db_collation="C")
    number = models.BigIntegerField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = LabelQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} on v{self.number}"


class Note(models.Model):
    """What somebody wrote down about a session, or about one version of it."""

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    number = models.BigIntegerField(null=True)
    text = models.TextField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = NoteQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["session_id", "number"], name="timeline_note_by_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.id}"
