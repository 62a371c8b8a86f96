"""A window of a session's turns, oldest first, read from either end.

One statement, whatever the length of the session. A turn is stored whole by the request
that reports it, so nothing of it is ever pending.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core import keyset, sql
from apps.timeline.queries.pages import ListedTurn

TURNS = 30
# A larger turn is named in the window and read where it is opened; of the others a
# window holds at most so many bytes.
TURN_BYTES = 262_144
WINDOW_BYTES = 1_048_576

READ = sql.query("timeline", "conversation_turns", turn_bytes=TURN_BYTES)
FORWARD = f"{READ} AND {keyset.above('t.turn_number')} ORDER BY t.turn_number"
BACKWARD = f"{READ} AND {keyset.below('t.turn_number')} ORDER BY t.turn_number DESC"
LIMIT = " LIMIT %(limit)s"
# Turns and their heads rise together, so this is the first entry of an index range.
FIRST_SINCE = sql.of_session("""
SELECT t.turn_number FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.head_number >= %(number)s
 ORDER BY t.head_number, t.turn_number LIMIT 1
""")


TURNS_ON = 200
ON = sql.of_session(
    f"{READ} AND t.head_number = ANY (%(numbers)s::bigint[])"
    " ORDER BY t.head_number, t.turn_number LIMIT %(limit)s"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnWindow:
    """Successive turns, oldest first, and whether there are more on either side."""

    turns: list[ListedTurn]
    has_earlier: bool
    has_later: bool


def turn_window(
    session_id: str, *, after: int | None = None, before: int | None = None
) -> TurnWindow:
    """Return the turns after a turn number, or the last ones before it."""
    query = sql.of_session((FORWARD if before is None else BACKWARD) + LIMIT)
    asked = {"session": session_id, "after": after, "before": before}
    found = sql.records(ListedTurn, query, {**asked, "limit": TURNS + 1})
    shown = _within_bytes(found[:TURNS])
    has_more = len(found) > len(shown)
    if before is None:
        return TurnWindow(turns=shown, has_earlier=bool(after), has_later=has_more)
    return TurnWindow(turns=shown[::-1], has_earlier=has_more, has_later=True)


def first_turn_since(session_id: str, number: int) -> int | None:
    """Return the first turn that left this version, or a later one, as the head."""
    found = sql.rows(FIRST_SINCE, {"session": session_id, "number": number})
    return int(found[0].turn_number) if found else None


def turns_on(session_id: str, numbers: Sequence[int]) -> tuple[list[ListedTurn], bool]:
    """Return the first turns that left one of these versions as the head.

    And whether those are all of them.
    """
    asked = {"session": session_id, "numbers": list(numbers), "limit": TURNS_ON + 1}
    found = sql.records(ListedTurn, ON, asked)
    shown = _within_bytes(found[:TURNS_ON])
    return shown, len(shown) == len(found)


def _within_bytes(turns: list[ListedTurn]) -> list[ListedTurn]:
    """Cut before the turn that would exceed the window's bytes; keep one."""
    total = 0
    for index, turn in enumerate(turns):
        total += turn.size if turn.data is not None else 0
        if index and total > WINDOW_BYTES:
            return turns[:index]
    return turns
