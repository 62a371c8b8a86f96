"""Keep what the customer said first in a session: a title for lists.

Done by the projector, of the first turns alone, so that no append pays for it and no
list reads what was said. Turns never change and are projected in their order, so
`rebuild_search` makes the same of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from apps.core import json, sql
from apps.core.json import Json
from apps.diffs.facets import clean_text
from apps.diffs.graphemes import cut
from apps.timeline import bodies

LONGEST = 80
# Later ones open nothing: whoever has said nothing in ten turns never does.
LATEST = 10
# A turn may have 16 MB; a few of them at a time are enough to hide the round trips.
AT_ONCE = 20
OTHERS = frozenset(
    {"agent", "ai", "assistant", "bot", "developer", "function", "system", "tool"}
)
_SAID_UNDER = ("content", "text", "message", "messages", "query", "prompt", "input")
_DEEPEST = 6
_LOOKED_AT = 50
# White space is looked for at the beginning of a long text alone.
_BEGINNING = 4_000
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

    A damaged one says none: it must stop neither the projector nor a list.
    """
    try:
        parts = bodies.turn_parts(turn.codec, bytes(turn.data), turn.size)
    except bodies.CorruptBody:
        return None
    return title_from(json.parse(parts["input"]))


def title_from(said: Json) -> str | None:
    """Return the first words of a customer in what was said, to 80 characters."""
    text = _words(said, _DEEPEST)
    return None if text is None else clean_text(cut_at_a_word(text, LONGEST))


def cut_at_a_word(text: str, longest: int) -> str:
    """Write a text in one line, cut behind a word where that leaves most of it."""
    line = " ".join(text[:_BEGINNING].split())
    if len(line) <= longest:
        return line
    shown = cut(line, longest - 1)
    whole, _, rest = shown.rpartition(" ")
    if line[len(shown)] != " " and len(whole) > len(rest):
        shown = whole
    return f"{shown.rstrip()}…"


def _words(said: Json, deepest: int) -> str | None:
    """Find the first text that nobody but a customer is known to have said."""
    if isinstance(said, str):
        return said if said.strip() else None
    if deepest == 0:
        return None
    if isinstance(said, dict):
        if any(_is_another(said.get(key)) for key in ("role", "type")):
            return None
        return _first((said.get(key) for key in _SAID_UNDER), deepest)
    return _first(said[:_LOOKED_AT], deepest) if isinstance(said, list) else None


def _is_another(speaker: Json) -> bool:
    return isinstance(speaker, str) and speaker.lower() in OTHERS


def _first(said: Iterable[Json], deepest: int) -> str | None:
    found = (_words(one, deepest - 1) for one in said)
    return next((text for text in found if text is not None), None)
