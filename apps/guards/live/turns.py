"""The turns before a write, as guards look at them."""

from __future__ import annotations

from collections.abc import Iterable

from apps.core import json
from apps.guards.detecting import EARLIER, TurnSeen, turn_seen
from apps.timeline.models import Turn
from apps.timeline.versions import CorruptBody


def earlier_turns(session_id: str) -> list[TurnSeen]:
    """Return the last turns of a session, the newest first."""
    mine = Turn.objects.of_session(session_id).defer("reasoning")
    return [seen_of(one) for one in mine.order_by("-turn_number")[:EARLIER]]


def seen_of(turn: Turn) -> TurnSeen:
    """Return what is looked at of a stored turn.

    Of one that was emptied nothing is known: it is like no other.
    """
    try:
        parts = turn.parts()
    except CorruptBody:
        return TurnSeen(
            number=turn.turn_number,
            output=f"emptied {turn.turn_number}".encode(),
            has_failed=False,
            is_denied=False,
        )
    read = {
        name: json.parse_written(parts[name])
        for name in ("input", "output", "metadata")
        if name in parts
    }
    return turn_seen(
        turn.turn_number, read["input"], read["output"], read.get("metadata")
    )


def before(seen: Iterable[TurnSeen]) -> list[TurnSeen]:
    """Return the newest of these, as many as are looked at, the newest first."""
    return list(seen)[-EARLIER:][::-1]
