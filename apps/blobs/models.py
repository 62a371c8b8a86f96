"""Which bytes are in the store, which agents may name them, which versions do."""

from __future__ import annotations

from django.db import models

from apps.blobs.querysets import BlobQuerySet, UseQuerySet
from apps.blobs.words import State

ID_LENGTH = 31
DIGEST_LENGTH = 64


def id_field() -> models.CharField[str, str]:
    return models.CharField(max_length=ID_LENGTH, db_collation="C")


def digest_field() -> models.CharField[str, str]:
    return models.CharField(max_length=DIGEST_LENGTH, db_collation="C")


class Blob(models.Model):
    """Bytes of a project by their SHA-256.

    An upload after a collection is another `generation`, and so another object: what
    a collection still deletes is never what has just arrived.
    """

    pk = models.CompositePrimaryKey("project_id", "digest")
    project_id = id_field()
    digest = digest_field()
    generation = models.BigIntegerField()
    size = models.BigIntegerField()
    state = models.CharField(
        max_length=9, choices=State.choices, default=State.STORED, db_collation="C"
    )
    leased_until = models.DateTimeField()
    # The erasure that takes it unless somebody else names it; see `operations.erasing`.
    erasure_id = models.CharField(max_length=ID_LENGTH, db_collation="C", null=True)
    created_at = models.DateTimeField()

    objects = BlobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=State.values),
                name="blobs_blob_state_is_known",
            )
        ]
        indexes = [
            models.Index(fields=["leased_until"], name="blobs_blob_by_lease"),
            models.Index(
                fields=["erasure_id"],
                name="blobs_blob_erasing",
                condition=models.Q(erasure_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.digest)

    @property
    def object_name(self) -> str:
        """Return where it is in the store: a name of ours, nothing of a caller's."""
        return object_name(self.project_id, self.digest, self.generation)


def object_name(project_id: str, digest: str, generation: int) -> str:
    return f"{project_id}/{digest[:2]}/{digest}.{generation}"


class Grant(models.Model):
    """Says that an agent may name a blob: a key that speaks for it uploaded the bytes.

    `agent` is your name for it, as keys have it; keys for all agents need no grant.
    """

    pk = models.CompositePrimaryKey("project_id", "digest", "agent")
    project_id = id_field()
    digest = digest_field()
    agent = models.TextField(db_collation="C")

    def __str__(self) -> str:
        return f"{self.digest} {self.agent}"


class Use(models.Model):
    """Says that a version names a blob, as do those that carry its files on.

    A version that shows the files of another has no row of its own. When the other is
    removed, the first version that goes on from it gets one.
    """

    pk = models.CompositePrimaryKey("session_id", "digest", "number")
    session_id = id_field()
    digest = digest_field()
    number = models.BigIntegerField()
    project_id = id_field()

    objects = UseQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project_id", "digest"], name="blobs_use_of_blob"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} {self.digest}"
