"""Which chains moved since they were signed, where quiet ones ended, and witnesses."""

from django.db import models

from apps.core.notes.roots import CHAINED


class Moved(models.Model):
    """A chain that grew and is to be signed: fed by events, taken away by the signer.

    `times` counts how often it was fed, so that the signer takes away no news that came
    while it signed. `since` is when the oldest of it was fed.
    """

    pk = models.CompositePrimaryKey("kind", "chain_id")
    kind = models.CharField(
        max_length=16,
        db_collation="C",
        choices=[(one.value, one.value) for one in CHAINED],
    )
    chain_id = models.CharField(max_length=32, db_collation="C")
    times = models.BigIntegerField(default=1)
    since = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["since"], name="witness_moved_oldest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.chain_id}"


class Seen(models.Model):
    """Where the signer found a chain that moves without an event.

    A hint, by which the next look passes by what has not moved: what is signed, the
    notes say.
    """

    pk = models.CompositePrimaryKey("kind", "chain_id")
    kind = models.CharField(
        max_length=16,
        db_collation="C",
        choices=[(one.value, one.value) for one in CHAINED],
    )
    chain_id = models.CharField(max_length=32, db_collation="C")
    number = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.kind} {self.chain_id} {self.number}"


class Witness(models.Model):
    """Up to which note a witness has all of them, and why it has no more.

    A hint as well: what it has, it is asked itself before anything is written there.
    """

    place = models.CharField(primary_key=True, max_length=1_024, db_collation="C")
    number = models.BigIntegerField(default=0)
    # Empty while it takes what it is sent.
    error = models.TextField(blank=True, default="")
    # Whether it has another note of a number of ours: nothing repairs that by itself.
    is_contradicting = models.BooleanField(default=False)
    failing_since = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.place} {self.number}"
