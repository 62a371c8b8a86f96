"""Leases: what keeps a blob that no version names yet, or not visibly."""

from __future__ import annotations

from collections.abc import Collection

from apps.agents.acts import Act
from apps.blobs.words import LEASE
from apps.core import sql

# In one order, so that of two who name the same blobs one waits for the other, once.
_RENEW = """
WITH meant AS (
    SELECT b.digest FROM blobs_blob b
     WHERE b.project_id = %(project)s AND b.digest = ANY (%(digests)s::varchar[])
     ORDER BY b.digest FOR NO KEY UPDATE)
UPDATE blobs_blob b
   SET leased_until = greatest(b.leased_until, %(until)s), erasure_id = NULL
  FROM meant
 WHERE b.project_id = %(project)s AND b.digest = meant.digest AND b.state = 'stored'
RETURNING b.digest, b.size
"""


def renewed(act: Act, digests: Collection[str]) -> dict[str, int]:
    """Renew the lease of what is stored; return the sizes, by digest."""
    asked = {
        "project": act.project_id,
        "digests": sorted(digests),
        "until": act.now + LEASE,
    }
    return {row.digest: row.size for row in sql.rows(_RENEW, asked)}
