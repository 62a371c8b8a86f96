"""What is owed for effects that rollbacks have crossed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.core import keyset, sql
from apps.timeline.errors import CompensationNotFound
from apps.timeline.queries.effects.crossed_rows import (
    CrossedEffect,
    beside_rollbacks,
    found,
)
from apps.timeline.queries.effects.crossing import inside
from apps.timeline.versions.reading import VersionRow

_COMPENSATED = beside_rollbacks(f"""
c.effect_id IS NOT NULL AND {keyset.above_id("e.id")}
   AND (%(status)s::text IS NULL OR coalesce(k.status, 'open') = %(status)s)
""")
_SOME = beside_rollbacks("c.effect_id IS NOT NULL AND e.id = ANY (%(ids)s::varchar[])")
_ONE = beside_rollbacks("c.effect_id IS NOT NULL AND e.id = %(id)s")
_STILL_OWED = sql.of_session(sql.query("timeline", "still_owed"))


def compensations(
    session_id: str,
    *,
    now: datetime,
    status: str | None = None,
    after: str | None = None,
    limit: int,
) -> list[CrossedEffect]:
    """Return up to `limit` + 1 of what was crossed in a session, oldest effect first.

    The caller has looked the session up.
    """
    asked = {"status": status, "after": after, "limit": limit + 1}
    return found(_COMPENSATED, session_id, now, **asked)


def compensations_of(
    session_id: str, effect_ids: Sequence[str], *, now: datetime
) -> dict[str, CrossedEffect]:
    """Return what is owed for these effects of a session that was looked up."""
    some = found(_SOME, session_id, now, ids=list(effect_ids))
    return {one.id: one for one in some}


def one_compensation(
    session_id: str, effect_id: str, *, now: datetime
) -> CrossedEffect:
    """Return what is owed for one effect of a session that was looked up.

    Raises: CompensationNotFound.
    """
    one = found(_ONE, session_id, now, id=effect_id)
    if not one:
        raise CompensationNotFound
    return one[0]


def count_still_owed(head: VersionRow, live: Sequence[range]) -> int:
    """Return how many are open and not known to the head: outside may differ by them.

    `live` is the head's lineage, which the version that made its body is part of. A
    rollback that is taken back brings back what its states knew.
    """
    made = head.body_number
    known = [inside(range(one.start, min(one.stop, made + 1))) for one in live]
    asked = {
        "session": head.session_id,
        "lows": [one.start for one in known],
        "highs": [one.stop - 1 for one in known],
    }
    (counted,) = sql.rows(_STILL_OWED, asked)
    return int(counted.count)
