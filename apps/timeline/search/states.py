"""Looks into states where an index cannot decide, and no further than a budget.

A page that needs more leaves those sessions out and says how many: slower than an
index, never wrong without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from apps.core import sql
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.timeline import listing, reading
from apps.timeline.bodies import CorruptBody
from apps.timeline.reading import VersionRow

MOST_STATES = 400
MOST_BYTES = 32 * 1024 * 1024

# Versions of which the change rows do not tell everything; a fork brought version 0.
_INCOMPLETE = """
SELECT v.number FROM timeline_version v
 WHERE v.session_id = %(session)s AND (v.changes_truncated
       OR v.number = 0 AND v.op = 'fork')
 ORDER BY v.number DESC LIMIT %(limit)s
"""


@dataclass(slots=True)
class States:
    """The states that one search decodes, counted."""

    looked_into: int = 0
    decoded_bytes: int = 0
    # Sessions that an index could not decide and the budget did not reach.
    undecided: set[str] = field(default_factory=set)

    def head(self, session_id: str) -> Json | None:
        """Return the head's state; None where it cannot be had."""
        row = reading.heads([session_id]).get(session_id)
        return None if row is None else self.of(row)

    def at(self, session_id: str, number: int) -> Json | None:
        """Return a version's state; None where it cannot be had."""
        rows = listing.versions_at(session_id, [number])
        return self.of(rows[0]) if rows else None

    def of(self, row: VersionRow) -> Json | None:
        if row.parsed is None:
            if self.is_spent:
                return None
            self.looked_into += 1
            self.decoded_bytes += row.body_size
        try:
            return reading.parsed(row)
        except (CorruptBody, DomainError):
            # `verify` tells of it; what cannot be read cannot be found.
            return None

    @property
    def is_spent(self) -> bool:
        return self.looked_into >= MOST_STATES or self.decoded_bytes >= MOST_BYTES

    def heads_with(
        self, ids: Sequence[str], fits: Callable[[Json], bool]
    ) -> dict[str, int]:
        """Return the sessions whose head fits, with its number."""
        found = {}
        rows = {} if self.is_spent or not ids else reading.heads(ids)
        for session_id in ids:
            # Let go at once: parsed, a state is several times its bytes.
            row = rows.pop(session_id, None)
            state = None if row is None else self.of(row)
            if row is None or state is None:
                self.undecided.add(session_id)
            elif fits(state):
                found[session_id] = row.number
        return found

    def incomplete(self, session_id: str, fits: Callable[[Json], bool]) -> int | None:
        """Return the newest version with incomplete change rows whose state fits."""
        asked = {"session": session_id, "limit": MOST_STATES}
        for (number,) in sql.rows(_INCOMPLETE, asked):
            state = self.at(session_id, number)
            if state is None:
                self.undecided.add(session_id)
                return None
            if fits(state):
                return int(number)
        return None

    def incomplete_change(
        self, session_id: str, differs: Callable[[Json, Json], bool]
    ) -> int | None:
        """Return the newest such version that differs from the one before it."""
        asked = {"session": session_id, "limit": MOST_STATES}
        for (number,) in sql.rows(_INCOMPLETE, asked):
            after = self.at(session_id, number)
            before = self.at(session_id, number - 1) if number else {}
            if after is None or before is None:
                self.undecided.add(session_id)
                return None
            if differs(before, after):
                return int(number)
        return None
