"""Which versions of a session are live, and which a rollback has set aside.

A version is live if it is in the head's lineage: walk down from the head, and at a
rollback jump to the version that it restored. Nothing is stored about it, so nothing
can be wrong: it is read from the rollbacks alone, through their partial index.
"""

from collections.abc import Iterable, Sequence

from apps.core import sql

ROLLBACKS = """
SELECT number, restored_number FROM timeline_version
 WHERE session_id = %s AND restored_number IS NOT NULL AND number <= %s
 ORDER BY number DESC
"""


def live_ranges(session_id: str, head_number: int) -> list[range]:
    """Return the numbers that are live as seen from this head, newest range first."""
    found = sql.rows(ROLLBACKS, [session_id, head_number])
    return lineage(head_number, [(row.number, row.restored_number) for row in found])


def lineage(head_number: int, rollbacks: Iterable[tuple[int, int]]) -> list[range]:
    """Walk from the head over (number, restored number), given newest first.

    Each range but the last begins with a rollback; the last begins with version 0.
    """
    ranges: list[range] = []
    top = head_number
    for number, restored_number in rollbacks:
        if number <= top:
            ranges.append(range(number, top + 1))
            top = restored_number
    return [*ranges, range(top + 1)]


def set_aside_by(ranges: Sequence[range], number: int) -> int | None:
    """Return the rollback that set a version aside, None for a live one.

    Of several it is the one that counts today: the last in the head's lineage.
    """
    rollback: int | None = None
    for live in ranges:
        if number in live:
            return None
        if number >= live.stop:
            return rollback
        rollback = live.start
    return rollback
