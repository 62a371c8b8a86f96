"""What stands for versions that a removal took; `models.py` passes it on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from django.db import models

from apps.timeline.fields import id_field
from apps.timeline.words import Removed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

AT_ONCE = 500


class TombstoneQuerySet(models.QuerySet["Tombstone"]):
    def of_session(self, session_id: str) -> TombstoneQuerySet:
        return self.filter(session_id=session_id).order_by("first_number")

    def over(self, number: int) -> TombstoneQuerySet:
        """Those in whose range a version is."""
        return self.filter(first_number__lte=number, last_number__gte=number)

    def of_removal(self, project_id: str, removal_id: str) -> TombstoneQuerySet:
        return self.filter(project_id=project_id, removal_id=removal_id)

    def session_ids(self) -> Iterator[str]:
        """Yield the sessions that they are of, each once, page by page."""
        last = ""
        while True:
            later = self.filter(session_id__gt=last).order_by("session_id")
            ids = later.values_list("session_id", flat=True).distinct()
            page = list(ids[:AT_ONCE])
            yield from page
            if len(page) < AT_ONCE:
                return
            last = page[-1]

    def gone(self) -> TombstoneQuerySet:
        """Those whose versions are not there any more."""
        return self.exclude(kind=Removed.EMPTIED)

    def emptied(self) -> TombstoneQuerySet:
        """Those whose versions are there without what they held."""
        return self.filter(kind=Removed.EMPTIED)


class Tombstone(models.Model):
    """A range of versions that a removal took or emptied, and how the chain passes it.

    `leaves_digest` is the SHA-256 of the leaves in order: who has them can recompute
    the chain from `chain_before` to `chain_after`. Turns that left one of the versions
    as the head are in it too, with a chain of their own. `rollbacks` counts those that
    undo nothing, as lists do.
    """

    # The memories of who comes back have the same document: it can go once more.
    pk = models.CompositePrimaryKey("session_id", "kind", "first_number", "event_id")
    session_id = id_field()
    kind = models.CharField(max_length=8, choices=Removed.choices, db_collation="C")
    first_number = models.BigIntegerField()
    last_number = models.BigIntegerField()
    project_id = id_field()
    count = models.BigIntegerField()
    chain_before = models.BinaryField()
    chain_after = models.BinaryField()
    leaves_digest = models.BinaryField()
    rollbacks = models.BigIntegerField()
    # Without turns in it: 0, and no chain.
    turns = models.BigIntegerField()
    first_turn = models.BigIntegerField()
    last_turn = models.BigIntegerField()
    turn_chain_before = models.BinaryField(null=True)
    turn_chain_after = models.BinaryField(null=True)
    turn_leaves_digest = models.BinaryField(null=True)
    # Of a pruned keyed document: from this version on all of it is there, and below it
    # at versions that somebody keeps.
    shown_from = models.BigIntegerField(null=True)
    reason = models.TextField()
    removal_id = id_field()
    # Of the event that was written with it.
    event_id = models.CharField(max_length=32, db_collation="C")
    created_at = models.DateTimeField()

    objects = TombstoneQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(first_number__gte=0)
                & models.Q(last_number__gte=models.F("first_number")),
                name="timeline_tombstone_is_of_a_range",
            ),
        ]
        # What is new is signed.
        indexes = [
            models.Index(fields=["created_at"], name="timeline_tombstone_by_age"),
            # From where on a document is whole: asked of each read of its past.
            models.Index(
                fields=["session_id", "-shown_from"],
                name="timeline_tombstone_shown",
                condition=models.Q(shown_from__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.first_number} to v{self.last_number}"

    @property
    def digest(self) -> str:
        """By what the removal's event knows it: all of it but the event's id."""
        said = (
            *(self.session_id, str(self.kind), self.first_number, self.last_number),
            *(self.project_id, self.count, self.rollbacks),
            *map(_hex, (self.chain_before, self.chain_after, self.leaves_digest)),
            *(self.turns, self.first_turn, self.last_turn),
            *map(_hex, (self.turn_chain_before, self.turn_chain_after)),
            *(_hex(self.turn_leaves_digest), self.removal_id),
            *(self.created_at.astimezone(UTC).isoformat(), self.reason),
            *(() if self.shown_from is None else (self.shown_from,)),
        )
        return hashlib.sha256("|".join(map(str, said)).encode()).hexdigest()


def details_of(stones: Sequence[Tombstone]) -> dict[str, Any]:
    """Return what the event of a removal says: ranges and counts, no contents."""
    return {
        "removal_id": stones[0].removal_id,
        "versions": sum(one.count for one in stones),
        "ranges": [
            {"first": one.first_number, "last": one.last_number, "digest": one.digest}
            for one in sorted(stones, key=lambda one: one.first_number)
        ],
    }


def _hex(value: Any) -> str:
    return "none" if value is None else bytes(value).hex()


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return ascending numbers as ranges without a gap: the first and the last."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
