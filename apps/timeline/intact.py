"""Whether what is stored of a version's body is what the version committed to.

A rollback asks before it restores a body. Cached bodies prove nothing about the
database: the row may have been damaged since. So the rows are read again, decoded, and
the HMAC of the result is compared with the commitment. Of a large body that took 90 ms;
where this process has done so before, the SHA-256 of everything stored is compared
instead, which takes 6: equal bytes decode to the same body.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

import structlog
from django.db import transaction

from apps.core import gate, json, sql
from apps.timeline import bodies, reading
from apps.timeline.bodies import CorruptBody, Row
from apps.timeline.errors import BodyNotVerified
from apps.timeline.reading import VersionRow

# Below this a body is decoded as fast as anything else is compared.
RECOMPUTED_BYTES = 256 * 1024

log = structlog.get_logger("stepback.timeline")


def require_intact(version: VersionRow) -> None:
    """Recompute the version's body from what is stored.

    Raises: BodyNotVerified, naming the version; Busy.
    """
    if not is_intact(version):
        raise BodyNotVerified(
            f"What is stored of v{version.number} is not what was committed to: it "
            "cannot be restored, and nothing was done.",
            param="version",
            session_id=version.session_id,
            version=version.number,
        )


def is_intact(version: VersionRow) -> bool:
    """Return whether the stored body is the one that was committed to.

    Raises: Busy.
    """
    try:
        _recompute(version)
    except CorruptBody:
        log.exception(
            "stored body is broken",
            session_id=version.session_id,
            number=version.number,
            body_number=version.body_number,
        )
        return False
    return True


def _recompute(version: VersionRow) -> None:
    """Hold the stored body against the commitment, and keep it with the row.

    Raises: CorruptBody, Busy.
    """
    key = (version.session_id, version.body_number)
    gate.enter(version.body_size)
    wanted = {"sessions": [version.session_id], "numbers": [version.body_number]}
    rows = sql.rows(reading.CHAIN, wanted)
    seal = None
    if version.body_size > RECOMPUTED_BYTES:
        seal = _seal(rows, version.commitment)
        if bodies.cache.seal(key) == seal:
            return
    raw = bodies.reconstruct(rows, expected=version.commitment)
    object.__setattr__(version, "raw", raw)
    transaction.on_commit(partial(bodies.cache.put, key, raw, seal))


def _seal(rows: Sequence[Row], commitment: bytes) -> bytes:
    """Return the digest of all that the body and its commitment follow from."""
    found = hashlib.sha256(bytes(commitment))
    for row in rows:
        found.update(json.dumps([row.number, row.base_number, row.codec, row.size]))
        for part in (row.salt, row.data):
            found.update(len(part).to_bytes(8))
            found.update(part)
    return found.digest()
