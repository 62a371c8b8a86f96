"""Keep what the customer said first in a session: a title for lists.

Done by the projector, of the first turns alone, so that no append pays for it and no
list reads what was said. Turns never change and are projected in their order, so
`rebuild_search` makes the same of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.core import json, sql
from apps.diffs.meaning.sayings import title_from
from apps.timeline import bodies

# Later ones open nothing: whoever has said nothing in ten turns never does.
LATEST = 10
# A turn may have 16 MB; a few of them at a time are enough to hide the round trips.
AT_ONCE = 20
# Not through the models: the worker's app loads the projector before them.
_KEEP = """
INSERT INTO timeline_opening (session_id, text)
SELECT * FROM unnest(%s::varchar[], %s::text[]) ON CONFLICT DO NOTHING RETURNING 1
"""
_TURNS = sql.query("timeline", "opening_turns")


def keep(sessions: Sequence[str], turns: Sequence[int]) -> None:
    """Keep what these turns open, in the order of each session's turns."""
    first = [
        (session_id, turn)
        for session_id, turn in zip(sessions, turns, strict=True)
        if 1 <= turn <= LATEST
    ]
    for start in range(0, len(first), AT_ONCE):
        some = first[start : start + AT_ONCE]
        asked = {"sessions": [one for one, _ in some], "turns": [no for _, no in some]}
        found: dict[str, str] = {}
        for row in sql.rows(_TURNS, asked):
            text = None if row.session_id in found else opening_of(row)
            if text is not None:
                found[row.session_id] = text
        if found:
            sql.rows(_KEEP, [list(found), list(found.values())])


def opening_of(turn: Any) -> str | None:
    """Return the title that a stored turn gives its session, None where it says none.

    A damaged one says none: it must stop neither the projector nor a list. Nor does an
    encrypted one, because a title stands in clear.
    """
    if turn.codec > bodies.SEALED:
        return None
    try:
        parts = bodies.turn_parts(turn.codec, bytes(turn.data), turn.size, None)
    except bodies.CorruptBody:
        return None
    return title_from(json.parse(parts["input"]))
