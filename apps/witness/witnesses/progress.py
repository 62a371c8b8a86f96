"""How far behind each witness is: for pages, for health and for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from apps.core.monitoring.exposition import Family
from apps.core.notes import keys
from apps.core.notes.folder import Folder
from apps.core.notes.places import places_by_name
from apps.witness.models import Witness


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """One witness: which note it has last, and what keeps it from the newest."""

    place: str
    number: int
    behind: int
    error: str
    is_contradicting: bool
    failing_since: datetime | None


def witnesses() -> list[Progress]:
    """Return the witnesses of this installation, in the order of the setting.

    Raises: OSError.
    """
    names = list(places_by_name(settings.WITNESSES))
    if not names:
        return []
    newest = Folder(keys.roots_path()).newest()
    known = Witness.objects.in_bulk(names)
    found = [known.get(name) or Witness(place=name) for name in names]
    return [
        Progress(
            place=one.place,
            number=one.number,
            # One that has more than there are has others: they are all to be brought.
            behind=newest - one.number if one.number <= newest else newest,
            error=one.error,
            is_contradicting=one.is_contradicting,
            failing_since=one.failing_since,
        )
        for one in found
    ]


def ask() -> list[Progress]:
    """As `witnesses`, in a thread of its own, whose connection is given back."""
    try:
        return witnesses()
    finally:
        connections[DEFAULT_DB_ALIAS].close()


def families(now: datetime) -> Iterator[Family]:
    """Yield how many notes each witness lacks, and whether it refuses them."""
    behind = Family(
        "stepback_witness_notes_behind", "Notes that a witness lacks.", ("witness",)
    )
    failing = Family(
        "stepback_witness_failing",
        "Whether the last note could not be brought to a witness.",
        ("witness",),
    )
    for one in witnesses():
        behind.add(one.behind, one.place)
        failing.add(float(bool(one.error)), one.place)
    yield behind
    yield failing
