"""Whether a restore has brought back what the checkpoint had, recomputed from both.

Now is what reads answer, bodies included, which are held to what was committed to;
then is what history says of the checkpoint's version. What has expired is in neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from apps.core import json, sql
from apps.data.checkpoints import restores, verifying
from apps.data.models import Checkpoint
from apps.timeline import queries
from apps.timeline.errors import KeyNotFound
from apps.timeline.operations import CONFIG_KEY, Document, Restored
from apps.timeline.queries import EntryRow
from apps.timeline.versions import CorruptBody

# What is recomputed within a request.
MOST_KEYS = 10_000
MOST_BYTES = 16 * 1024 * 1024
# Bodies that are read at once.
PAGE = 1_000
FORGED = "The checkpoint is not what the record of its making says."
PRUNED = "A policy has removed some of what is compared meanwhile."

_AS_OF = sql.of_session(sql.query("data", "restore_as_of"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was found: equal, not equal, or None where that was too much to look at."""

    is_equal: bool | None
    # Why not, or why it was not looked at.
    why: str | None = None
    digest: str | None = None


def verify(
    document: Document,
    checkpoint: Checkpoint,
    restored: Restored,
    *,
    config: bool,
    data: bool,
) -> Verification:
    """Compare what stands after a restore with what the checkpoint had.

    Its row says what that is; so that is held against the record of its making.
    """
    if not verifying.is_as_recorded(document, checkpoint):
        return Verification(is_equal=False, why=FORGED)
    looked = _Looked(document, checkpoint, restored, config, data)
    why = looked.too_much()
    if why is not None:
        return Verification(is_equal=None, why=why)
    then = _digest(looked.as_of(checkpoint.number))
    try:
        rows = looked.standing()
        for at in range(0, len(rows), PAGE):
            queries.contents(document.id, rows[at : at + PAGE])
    except CorruptBody:
        why = "What is stored of a value is not what was committed to."
        return Verification(is_equal=False, why=why)
    now = _digest(rows)
    if now != then and not looked.is_whole:
        return Verification(is_equal=None, why=PRUNED)
    if now != then:
        why = "What stands is not what the checkpoint had."
        return Verification(is_equal=False, why=why, digest=now)
    return Verification(is_equal=True, digest=now)


@dataclass(frozen=True, slots=True)
class _Looked:
    """A restore that is looked at, or the parts of it that were asked for."""

    document: Document
    checkpoint: Checkpoint
    restored: Restored
    config: bool
    data: bool

    def too_much(self) -> str | None:
        """Return why this is too much for a request, if it is."""
        known = self.checkpoint
        if self.data and known.keys > MOST_KEYS:
            return f"It had {known.keys:,} keys; up to {MOST_KEYS:,} are recomputed."
        if self.data and known.bytes > MOST_BYTES:
            return f"It had {known.bytes:,} bytes; up to {MOST_BYTES:,} are recomputed."
        touched = restores.touched(
            self.document, known, config=self.config, data=self.data, most=MOST_KEYS
        )
        if touched > MOST_KEYS:
            return f"More keys were touched since than are recomputed: {MOST_KEYS:,}."
        return None

    def as_of(self, number: int) -> list[EntryRow]:
        """Return what a version had, as history says it."""
        asked = {
            "session": self.document.id,
            "config": self.config,
            "data": self.data,
            "since": self.checkpoint.number,
            "at": number,
            "moment": self._moment,
        }
        return sql.records(EntryRow, _AS_OF, asked)

    def standing(self) -> list[EntryRow]:
        """Return what reads answer; what the restore left, if others wrote since."""
        rows = self._heads()
        head = queries.standing(self.document.id, now=self._moment)
        if head is None or head.number != self.restored.number:
            return self.as_of(self.restored.number)
        return rows

    def _heads(self) -> list[EntryRow]:
        rows: list[EntryRow] = []
        if self.config:
            with suppress(KeyNotFound):
                key = CONFIG_KEY
                rows = [queries.entry(self.document.id, key, now=self._moment)]
        while self.data:
            page = queries.entries(
                self.document.id,
                after=rows[-1].key if rows else "",
                limit=PAGE,
                now=self._moment,
            )
            rows += page
            if len(page) < PAGE or len(rows) > MOST_KEYS:
                break
        return rows

    @property
    def is_whole(self) -> bool:
        """Whether all that is compared is there; a policy may have come meanwhile."""
        both = self.checkpoint.number, self.restored.number
        return all(queries.is_whole(self.document.id, number) for number in both)

    @property
    def _moment(self) -> datetime:
        return self.restored.created_at


def _digest(rows: Sequence[EntryRow]) -> str:
    found = sha256()
    for row in rows:
        told = [row.key, row.size, (row.commitment or b"").hex()]
        found.update(json.dumps(told) + b"\n")
    return found.hexdigest()
