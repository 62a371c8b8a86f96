"""Which versions of a session are live, and which a rollback has set aside.

A version is live if it is in the head's lineage: walk down from the head, and at a
rollback jump to the version that it restored. Nothing is stored about it, so nothing
can be wrong: it is read from the rollbacks alone, through their partial index.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence

from apps.core import sql

# Few sessions have more; pages grow, so that a million take tens of statements.
FIRST_PAGE = 1_000
LARGEST_PAGE = 64_000

ROLLBACKS = sql.of_session("""
SELECT number, restored_number FROM timeline_version
 WHERE session_id = %s AND restored_number IS NOT NULL AND number <= %s
 ORDER BY number DESC LIMIT %s
""")
# Of several sessions at once, up to so many rollbacks in all.
MOST_AT_ONCE = 10_000
ROLLBACKS_EACH = sql.across("""
SELECT session_id, number, restored_number FROM timeline_version
 WHERE session_id = ANY (%(sessions)s::varchar[]) AND restored_number IS NOT NULL
 ORDER BY session_id, number DESC LIMIT %(most)s
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


def live_ranges_from(session_id: str, numbers: Sequence[int]) -> list[Sequence[range]]:
    """Return what is live as seen from each of several versions of one session.

    By one statement, but for sessions of very many rollbacks.
    """
    found = sql.rows(ROLLBACKS, [session_id, max(numbers), FIRST_PAGE])
    if len(found) == FIRST_PAGE:
        return [live_ranges(session_id, one) for one in numbers]
    rollbacks = [(row.number, row.restored_number) for row in found]
    return [lineage(one, rollbacks) for one in numbers]


def live_ranges_each(
    places: Collection[tuple[str, int]],
) -> dict[tuple[str, int], Sequence[range]]:
    """Return what is live as seen from versions of several sessions."""
    sessions = sorted({session_id for session_id, _ in places})
    asked = {"sessions": sessions, "most": MOST_AT_ONCE + 1}
    found = sql.rows(ROLLBACKS_EACH, asked) if places else []
    if len(found) > MOST_AT_ONCE:
        return {place: live_ranges(*place) for place in places}
    rollbacks: dict[str, list[tuple[int, int]]] = {one: [] for one in sessions}
    for row in found:
        rollbacks[row.session_id].append((row.number, row.restored_number))
    return {(one, number): lineage(number, rollbacks[one]) for one, number in places}


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


def without(ranges: Sequence[range], others: Sequence[range]) -> list[range]:
    """Return what is in the first ranges but not in the others, newest first.

    Both are given newest first and without overlap, as lineages are.
    """
    left: list[range] = []
    taken = list(others)
    for one in ranges:
        top = one.stop
        while taken and taken[0].start >= top:
            taken.pop(0)
        for other in taken:
            if other.stop <= one.start:
                break
            left.append(range(max(other.stop, one.start), top))
            top = min(top, other.start)
        left.append(range(one.start, top))
    return [piece for piece in left if piece]
