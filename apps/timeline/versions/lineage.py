"""Which versions of a session are live, and which a rollback has set aside.

A version is live if it is in the head's lineage: walk down from the head, and at a
rollback jump to the version that it restored. Nothing is stored about it, so nothing
can be wrong: it is read from the rollbacks alone, through their partial index.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from apps.core import sql

# Few sessions have more; pages grow, so that a million take tens of statements.
FIRST_PAGE = 1_000
LARGEST_PAGE = 64_000

ROLLBACKS = sql.of_session("""
SELECT number, restored_number FROM timeline_version
 WHERE session_id = %s AND restored_number IS NOT NULL AND number <= %s
 ORDER BY number DESC LIMIT %s
""")


class Lineage:
    """The live ranges as seen from one head, read only as far down as is asked."""

    def __init__(self, session_id: str, head_number: int) -> None:
        self._session_id = session_id
        self._ranges: list[range] = []
        self._top = head_number
        self._page = FIRST_PAGE

    def down_to(self, number: int) -> list[range]:
        """Return the newest ranges, the last of which begins at or before `number`."""
        while not self._ranges or self._ranges[-1].start > number:
            self._read_on()
        return self._ranges

    def _read_on(self) -> None:
        found = sql.rows(ROLLBACKS, [self._session_id, self._top, self._page])
        rollbacks = [(row.number, row.restored_number) for row in found]
        *walked, rest = lineage(self._top, rollbacks)
        self._ranges += walked
        self._top = rest.stop - 1
        if len(found) < self._page:
            self._ranges.append(rest)
        self._page = min(4 * self._page, LARGEST_PAGE)


def live_ranges(
    session_id: str, head_number: int, *, down_to: int = 0
) -> Sequence[range]:
    """Return the numbers that are live as seen from this head, newest range first.

    Ranges that lie below `down_to` may be missing.
    """
    return Lineage(session_id, head_number).down_to(down_to)


def lineage(head_number: int, rollbacks: Iterable[tuple[int, int]]) -> list[range]:
    """Walk from the head over (number, restored number), given newest first.

    Each range but the last begins with a rollback; the last begins with version 0.
    """
    ranges: list[range] = []
    top = head_number
    for number, restored_number in rollbacks:
        if number <= top:
            ranges.append(range(number, top + 1))
            # A damaged one must not lead up again: verification reads them too.
            top = min(restored_number, number - 1)
    return [*ranges, range(top + 1)]


def set_aside_by(ranges: Sequence[range], number: int) -> int | None:
    """Return the rollback that set a version aside, None for a live one.

    Of several it is the one that counts today: the last in the head's lineage.
    """
    at = bisect_left(ranges, -number, key=lambda live: -live.start)
    if at == 0 or number in ranges[at]:
        return None
    return ranges[at - 1].start
