"""Who holds the lease of a shared document, and what a write is refused for by it."""

from __future__ import annotations

from typing import Any

from apps.core import sql
from apps.core.errors import DomainError
from apps.core.time.moments import utc_text
from apps.timeline.errors import FenceStale, Leased

_HELD = sql.of_session("""
SELECT l.holder, l.fence, l.until,
       greatest(extract(epoch FROM l.until - clock_timestamp()), 0)::float8
           AS seconds_left
  FROM timeline_lease l WHERE l.session_id = %s
""")


def held(session_id: str) -> Any | None:
    """Return the newest lease, whether its time is over or not."""
    found = sql.rows(_HELD, [session_id])
    return found[0] if found else None


def refused(session_id: str, fence: int | None) -> DomainError:
    """Return what a write is refused with whose fence, or lack of one, does not do."""
    lease = held(session_id)
    if fence is None:
        return Leased(param="fence", **told(lease))
    newest = lease.fence if lease else None
    return FenceStale(
        f"Fence {fence} is not the newest, which is {newest}: take the lease again."
        if newest
        else "Nobody was handed out a fence for this document: take the lease.",
        param="fence",
        newest_fence=newest,
    )


def told(lease: Any | None) -> dict[str, Any]:
    """Return what is told of a lease; nothing where there is none."""
    if lease is None:
        return {}
    return {
        "holder": lease.holder,
        "until": utc_text(lease.until),
        "seconds_left": lease.seconds_left,
    }
