"""Which chains have moved since they were signed."""

from django.db import models

from apps.core.notes.roots import Kind


class Moved(models.Model):
    """A chain that grew and is to be signed: fed by events, taken away by the signer.

    `times` counts how often it was fed, so that the signer takes away no news that came
    while it signed. `since` is when the oldest of it was fed.
    """

    pk = models.CompositePrimaryKey("kind", "chain_id")
    kind = models.CharField(
        max_length=16,
        db_collation="C",
        choices=[(one.value, one.value) for one in Kind],
    )
    chain_id = models.CharField(max_length=31, db_collation="C")
    times = models.BigIntegerField(default=1)
    since = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["since"], name="witness_moved_oldest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.chain_id}"
