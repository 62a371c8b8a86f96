"""Bringing notes to the witnesses: in order, create-only, each on its own.

A witness that is away is caught up later, from where it was. What is cut short is done
again: a note that is there already, byte for byte, has arrived. One that is another is
named, and nothing more is written there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.db import transaction

from apps.core.notes import keys, roots
from apps.core.notes.errors import KeyRefused, NoteError, NumberTaken
from apps.core.notes.folder import Folder
from apps.core.notes.following import FOLLOWERS, Signed
from apps.core.notes.places import WritablePlace, place_at, places_by_name
from apps.core.notes.reading import read
from apps.core.notes.signed import VerifierKey
from apps.core.objects import AddressRefused, ObjectsAway
from apps.core.postgres.errors import DataFolderUnusable
from apps.witness.models import Witness

# For so long notes are brought to each witness at a time; the next sweep goes on.
BUDGET_SECONDS = 4.0
TOLD_AT_ONCE = 100

log = structlog.get_logger("stepback.witness")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Up to which note a witness has them, and what kept it from the next."""

    number: int
    error: str = ""
    is_contradicting: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The notes of this installation that are brought elsewhere."""

    folder: Folder
    keys: Sequence[VerifierKey]

    def signed(self, number: int) -> tuple[Signed, bytes | None]:
        """Return a note, and the file of its leaves where it has a tree.

        Raises: NoteError where it does not hold: what is broken goes nowhere.
        """
        root, _ = read(self.folder, number, self.keys)
        note = self.folder.read(number) or b""
        return Signed(note, root), root.leaves() if root.tree else None


def deliver(*, now: datetime) -> None:
    """Bring to every witness what it does not have, and tell who follows."""
    folder = Folder(keys.roots_path())
    newest = folder.newest()
    try:
        source = Source(folder, keys.verifier_keys())
    except KeyRefused:
        return  # signing has said so
    for name in FOLLOWERS:
        _tell(name, source, newest, now)
    behind = [one for one in _witnesses() if one.number != newest]
    if not behind:
        return
    with ThreadPoolExecutor(len(behind), "witness") as pool:
        # Threads bring notes and ask no database.
        brought = pool.map(lambda one: _bring(one, source, newest), behind)
        for one, outcome in zip(behind, brought, strict=True):
            _keep(one, outcome, now)


def addresses() -> dict[str, str]:
    """Return the addresses of the witnesses by what people call them."""
    return places_by_name(settings.WITNESSES)


def _witnesses() -> list[Witness]:
    known = Witness.objects.in_bulk(list(addresses()))
    return [known.get(name) or Witness(place=name) for name in addresses()]


def _bring(witness: Witness, source: Source, newest: int) -> Outcome:
    """Bring notes to one witness, until it has all or the time is over."""
    # Where fewer were signed than it has, ours are others: it will say so.
    number = witness.number if witness.number <= newest else 0
    deadline = time.monotonic() + BUDGET_SECONDS
    try:
        place = place_at(addresses()[witness.place])
        if number and place.read(number) is None:
            # It is another disk, or another bucket, than the last time.
            number = 0
        while number < newest and time.monotonic() < deadline:
            _write(place, source, number + 1)
            number += 1
    except NumberTaken as error:
        return Outcome(number=number, error=str(error), is_contradicting=True)
    except (AddressRefused, NoteError, ObjectsAway, DataFolderUnusable, OSError) as why:
        return Outcome(number=number, error=str(why) or type(why).__name__)
    return Outcome(number=number)


def _write(place: WritablePlace, source: Source, number: int) -> None:
    """Bring one note, after its leaves: where the note is, they are.

    Raises: NumberTaken where the witness has another, and what places raise.
    """
    signed, leaves = source.signed(number)
    tree = signed.root.tree
    if tree is not None and leaves is not None:
        place.write_leaves(number, tree.root, leaves)
    try:
        place.write(number, signed.note)
    except NumberTaken:
        found = place.read(number)
        if found == signed.note:
            return
        other = "" if found is None else roots.digest(found).hex()[:16]
        raise NumberTaken(
            f"It has another note {number:,} already ({other}…), which stays: "
            "somebody else signs, or our notes were made anew."
        ) from None


def _keep(witness: Witness, outcome: Outcome, now: datetime) -> None:
    if outcome.error and outcome.error != witness.error:
        log.error("a witness is behind", witness=witness.place, why=outcome.error)
    since = witness.failing_since or now
    Witness.objects.update_or_create(
        place=witness.place,
        defaults={
            "number": outcome.number,
            "error": outcome.error,
            "is_contradicting": outcome.is_contradicting,
            "failing_since": since if outcome.error else None,
        },
    )


@transaction.atomic
def _tell(name: str, source: Source, newest: int, now: datetime) -> None:
    """Tell who follows of the notes that came since, each once; of the first, none."""
    row, is_new = Witness.objects.select_for_update().get_or_create(
        place=name, defaults={"number": newest}
    )
    if is_new or row.number == newest:
        return
    if row.number > newest:
        signed = []
        row.number = newest
    else:
        signed = list(_next(source, row.number, min(newest, row.number + TOLD_AT_ONCE)))
        row.number += len(signed)
    if signed:
        FOLLOWERS[name](signed, now)
    row.save(update_fields=["number"])


def _next(source: Source, after: int, last: int) -> Iterator[Signed]:
    """Yield the notes up to `last`, as far as they hold."""
    for number in range(after + 1, last + 1):
        try:
            yield source.signed(number)[0]
        except (NoteError, OSError) as error:
            log.warning("a note that does not hold is told to nobody", why=str(error))
            return
