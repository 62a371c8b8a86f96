"""Which documents have something new to embed: those whose head is past it.

Asked of the documents themselves, each time: no write leaves a note, so none costs more
for being embedded, and none is missed that a note was lost of.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.core import sql

# All ids of keyed documents, and none of sessions.
FIRST, BEFORE = "doc_", "doc`"
# Noticed by one look; the next one goes on with those that are left.
MOST = 1_000

# Each version but 0 has entries, so whoever is through them has come to the head. What
# waits already is left out: whoever is done with it is followed by another look.
_BEHIND = sql.across("""
SELECT d.id FROM timeline_session d
  LEFT JOIN meaning_stream m ON m.stream_id = d.id
 WHERE d.id > %(first)s AND d.id < %(before)s AND m.due_at IS NULL
   AND d.head_number > coalesce(m.number, 0)
 ORDER BY d.id LIMIT %(most)s
""")
_NOTE = """
INSERT INTO meaning_stream AS s (
    stream_id, model, number, key, stale_until, revision, due_at)
SELECT DISTINCT n.id, '', 0, '', 0, 0, %(now)s::timestamptz
  FROM unnest(%(ids)s::text[]) n (id) ORDER BY 1
    ON CONFLICT (stream_id) DO UPDATE
   SET due_at = coalesce(s.due_at, excluded.due_at)
RETURNING 1
"""


def notice(*, now: datetime) -> None:
    """Note the documents that were written to since they were embedded."""
    asked = {"first": FIRST, "before": BEFORE, "most": MOST}
    found = [row.id for row in sql.rows(_BEHIND, asked)]
    if found:
        note(found, now=now)


def note(documents: Sequence[str], *, now: datetime) -> None:
    """Have these documents looked at by the worker."""
    sql.rows(_NOTE, {"ids": sql.text_array(documents), "now": now})
