"""Where entries of keys were pruned, so that what stood there is not known any more.

Of a key's entries each has the next number. Where numbers are missing, what stood from
the entry before to the one behind cannot be told; everywhere else it can, as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from apps.core import sql
from apps.timeline.verification.removals import Removals
from apps.timeline.words import Cause

_GAPS = sql.of_session(sql.query("timeline", "verify_gaps"))
_SET = sql.of_session("""
SELECT e.key, e.number, e.size, e.expires_at FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.number = ANY (%(numbers)s::bigint[])
   AND e.cause = 'set'
""")


class Left(NamedTuple):
    """What a version left under a key."""

    key: str
    body_number: int | None
    size: int
    expires_at: datetime | None
    cause: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reach:
    """Which keys an act could have touched, and by what stood at which versions."""

    numbers: Sequence[int] = ()
    first: str = ""
    before: str = ""
    cause: Cause = Cause.SET
    # Of a restore: what was set later it cannot bring back.
    target: int = -1


class Gaps:
    """The gaps of a document; without a pruned version there are none."""

    def __init__(self, document_id: str, removed: Removals) -> None:
        self.document_id = document_id
        # By key: from the first number on, and before the second.
        self._of: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        if removed.gone:
            for row in sql.rows(_GAPS, {"session": document_id}):
                self._of[row.key].append((row.since, row.number))

    def agree(self, left: set[Left], expected: set[Left], reach: Reach) -> bool:
        """Whether an act left what it had to, as far as what stood before is known.

        What it left under other keys has to be possible.
        """
        if left == expected:
            return True
        unknown = {one for one in left | expected if self._is_unknown(one.key, reach)}
        return left - unknown == expected - unknown and self._are_possible(
            left & unknown, reach
        )

    def _is_unknown(self, key: str, reach: Reach) -> bool:
        return any(
            since <= number < behind
            for since, behind in self._of.get(key, ())
            for number in reach.numbers
        )

    def _are_possible(self, entries: set[Left], reach: Reach) -> bool:
        """Whether the act may have left this.

        A restore brings back what was set under that very key, as it was set; or takes
        away, as all else does.
        """
        if not all(reach.first <= one.key < reach.before for one in entries):
            return False
        taken = Cause.REMOVED if reach.cause is Cause.RESTORED else reach.cause
        there = [one for one in entries if one != Left(one.key, None, 0, None, taken)]
        if reach.cause is not Cause.RESTORED or not there:
            return not there
        numbers = [one.body_number for one in there if one.body_number is not None]
        asked = {"session": self.document_id, "numbers": numbers}
        found = {
            Left(row.key, row.number, row.size, row.expires_at, Cause.RESTORED)
            for row in sql.rows(_SET, asked)
            if row.number <= reach.target
        }
        return set(there) <= found
