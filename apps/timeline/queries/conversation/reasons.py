"""Which versions say certain words in their reasoning."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core import sql
from apps.timeline.projection.texts import TextKind

_SAID = sql.across(f"""
SELECT t.session_id, t.number FROM timeline_text_current t
 WHERE t.session_id = ANY (%(sessions)s::varchar[])
   AND t.number = ANY (%(numbers)s::bigint[])
   AND t.kind = {TextKind.REASONING.value}
   AND t.words @@ plainto_tsquery('simple', %(words)s::text)
 LIMIT %(most)s
""")  # noqa: S608


def said_in(versions: Sequence[tuple[str, int]], words: str) -> set[tuple[str, int]]:
    """Return which of these versions have all the words in their reasoning."""
    if not versions:
        return set()
    sessions = sorted({session_id for session_id, _ in versions})
    numbers = sorted({number for _, number in versions})
    asked = {
        "sessions": sessions,
        "numbers": numbers,
        "words": words,
        "most": len(sessions) * len(numbers),
    }
    found = {(row.session_id, row.number) for row in sql.rows(_SAID, asked)}
    return found & set(versions)
