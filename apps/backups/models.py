"""Which backups there are, and how the last try to make one went."""

from __future__ import annotations

from django.db import models


class BackupQuerySet(models.QuerySet["Backup"]):
    def kept(self) -> BackupQuerySet:
        """Those that have not been deleted since, the newest first."""
        return self.filter(removed_at__isnull=True).order_by("-made_at")

    def at(self, place: str) -> BackupQuerySet:
        """Those that were stored there."""
        return self.filter(place=place)

    def places(self) -> list[str]:
        """Return where they were stored: the setting may have been another."""
        return sorted(set(self.values_list("place", flat=True)))


class Backup(models.Model):
    """A backup that was read back after it was stored, under its name there.

    `sha256` is of what is stored: of the encrypted file, where it is one.
    """

    name = models.CharField(primary_key=True, max_length=80, db_collation="C")
    place = models.TextField()
    made_at = models.DateTimeField()
    bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, db_collation="C")
    is_encrypted = models.BooleanField()
    removed_at = models.DateTimeField(null=True)

    objects = BackupQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.name)


class Attempt(models.Model):
    """The last try: when, and why it failed; empty where it did not."""

    id = models.SmallIntegerField(primary_key=True)
    at = models.DateTimeField()
    error = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(id=1), name="backups_attempt_is_one_row"
            )
        ]

    def __str__(self) -> str:
        return f"{self.at} {self.error}"
