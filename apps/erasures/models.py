"""Previews of erasures, erasures, and the histories that each has to remove.

Whom an erasure is about stands in it until it is done, and then nowhere: a digest with
a salt of its own says whether a person is meant by the certificate.
"""

from __future__ import annotations

from django.db import models

from apps.erasures.querysets import (
    ErasureQuerySet,
    PreviewQuerySet,
    TargetQuerySet,
)
from apps.erasures.words import Kind, State, Waits
from apps.timeline.fields import id_field


class Preview(models.Model):
    """What would go, as it was counted when somebody asked; nothing has gone."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    kind = models.CharField(max_length=8, choices=Kind.choices, db_collation="C")
    value = models.TextField(db_collation="C")
    counts = models.JSONField(default=dict)
    asked_by_label = models.TextField()
    created_at = models.DateTimeField()

    objects = PreviewQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.id)


class Erasure(models.Model):
    """One erasure, how far it is, and the certificate once it is done."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    preview_id = id_field()
    kind = models.CharField(max_length=8, choices=Kind.choices, db_collation="C")
    # Whom it is about; empty once it is done.
    value = models.TextField(db_collation="C")
    salt = models.BinaryField()
    reason = models.TextField()
    state = models.CharField(
        max_length=8, choices=State.choices, default=State.RUNNING, db_collation="C"
    )
    # Rows that went, by what they were.
    counts = models.JSONField(default=dict)
    # What keeps it from going on; empty where nothing does.
    waits_for = models.CharField(
        max_length=16, choices=Waits.choices, default="", db_collation="C"
    )
    # The entry of the journal, as it stands there.
    entry = models.BinaryField(null=True)
    asked_by_label = models.TextField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = ErasureQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "preview_id"],
                name="erasures_erasure_one_a_preview",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=State.values),
                name="erasures_erasure_state_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="erasures_erasure_newest"),
            models.Index(
                fields=["id"],
                name="erasures_erasure_running",
                condition=models.Q(state="running"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"

    @property
    def is_done(self) -> bool:
        return self.state == State.DONE


class Target(models.Model):
    """A history that goes: a session, or the memories of a session or a person.

    The rows go with the end of the erasure, whose certificate has their digests.
    """

    pk = models.CompositePrimaryKey("erasure_id", "history_id")
    erasure = models.ForeignKey(Erasure, on_delete=models.PROTECT, db_index=False)
    history_id = id_field()
    is_session = models.BooleanField()
    # Where it ended, as it was found before anything of it went.
    number = models.BigIntegerField()
    chain = models.BinaryField()
    counts = models.JSONField(default=dict)
    bytes = models.BigIntegerField(default=0)
    is_gone = models.BooleanField(default=False)

    objects = TargetQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.history_id)
