"""Signing that the database was put back: by who did it, and before anybody writes.

Heads that were signed and are not there any more are signed as they are now; from then
on they count. Only what the backup can account for is signed so: a chain that differs
from its own earlier signatures was rewritten, and stays a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db import transaction

from apps.core.notes import keys
from apps.core.notes.errors import NoteError
from apps.core.notes.index import Entry
from apps.core.notes.roots import CHAINED, Head
from apps.timeline.verification import ComparedEnd, chain_ends, compare_ends
from apps.witness.signing import AT_ONCE, Signer, is_alone, signer

# Earlier signatures of one chain that are looked at.
HISTORY = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class WentBack:
    """What was signed: how many chains went back, and how many were rewritten."""

    first_note: int
    heads: int
    contradicting: int


def went_back(*, why: str, now: datetime) -> WentBack | None:
    """Sign that the database went back; None without a key.

    Cut short and done again, it signs what is left.

    Raises: KeyRefused, NoteError (also while somebody else signs), NumberTaken,
    OSError, sqlite3.Error.
    """
    key = keys.signing_key()
    if key is None:
        return None
    with signer(key) as signing, transaction.atomic():
        if not is_alone():
            raise NoteError("a worker signs at this moment: stop it first")
        signing.take_in(math.inf)
        return _signed(signing, why, now)


def _signed(signing: Signer, why: str, now: datetime) -> WentBack:
    contradicting = [0]
    found = _gone_back(signing, contradicting)
    count, first = 0, signing.folder.newest() + 1
    some = list(islice(found, AT_ONCE))
    # One note in any case: that it went back counts, also where nothing was lost.
    while some or not count:
        signing.sign(some, now=now, went_back=why)
        count += len(some)
        if not some:
            break
        some = list(islice(found, AT_ONCE))
    signing.index.set_progress(looking="")
    return WentBack(first_note=first, heads=count, contradicting=contradicting[0])


def _gone_back(signing: Signer, contradicting: list[int]) -> Iterator[Head]:
    for kind in CHAINED:
        # Read whole: what is yielded is signed, and entered, meanwhile.
        signed = [entry.stream for entry in signing.index.every(kind)]
        for start in range(0, len(signed), AT_ONCE):
            ids = [one.partition(" ")[2] for one in signed[start : start + AT_ONCE]]
            for one in compare_ends(signing.index, kind, ids):
                if one.holds:
                    continue
                if _accounts_for(signing, one):
                    yield one.end.head(kind)
                else:
                    contradicting[0] += 1


def _accounts_for(signing: Signer, one: ComparedEnd) -> bool:
    """Whether the chain ends earlier, and is what earlier notes have signed."""
    end, signed = one.end, one.signed
    if end.number is None:
        return True
    if signed is None or signed.number is None or end.number >= signed.number:
        return False
    before = _signed_before(signing.index.history(signed.stream, HISTORY), end.number)
    if before is None:
        return True
    (there,) = chain_ends(one.kind, [end.id], [before.number])
    return there.at_signed == before.chain


def _signed_before(history: list[Entry], number: int) -> Entry | None:
    """Return the newest signature up to this number; newest first comes the history."""
    for entry in history:
        if entry.number is not None and entry.number <= number:
            return entry
    return None
