"""Find what an act has stored in a keyed document, where it is sent again."""

from __future__ import annotations

from apps.agents.acts import Act
from apps.core import sql
from apps.timeline.ledger.documents.values import Document, Written

# As timeline_keyed_lock_v1 decides it, under the lock.
_BY_KEY = sql.of_session("""
SELECT v.number, coalesce(v.first_number, v.number) AS first_number
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.request_key = %(key)s
   AND v.request_digest = %(digest)s
""")
_HEAD = sql.of_session("""
SELECT v.number, coalesce(v.first_number, v.number) AS first_number
  FROM (SELECT h.number, h.first_number, h.request_key, h.request_digest, h.actor_id,
               h.actor_kind, h.requested_at
          FROM timeline_version h
         WHERE h.session_id = %(session)s ORDER BY h.number DESC LIMIT 1) v
 WHERE v.request_key IS NULL AND v.number > 0 AND v.request_digest = %(digest)s
   AND v.actor_id = %(actor_id)s AND v.actor_kind = %(actor_kind)s
   AND v.requested_at > %(now)s - interval '5 minutes'
""")


def stored_before(*, act: Act, document: Document) -> Written | None:
    """Return what this very act has stored already; None where it is a new one.

    For a look before something is decided about it: whatever writes finds out again,
    under the lock.
    """
    asked = {
        "session": document.id,
        "key": act.request.key,
        "digest": act.request.digest,
        "actor_id": act.actor.id,
        "actor_kind": act.actor.kind.value,
        "now": act.now,
    }
    found = sql.rows(_HEAD if act.request.key is None else _BY_KEY, asked)
    if not found:
        return None
    (row,) = found
    return Written(number=row.number, first_number=row.first_number, is_replay=True)
