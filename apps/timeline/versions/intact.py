"""Verify the stored bodies of versions against their commitments, before they are used.

A cached body proves nothing about the database: the row may have been damaged since. So
the rows are read again and decoded, and the HMAC of the result is compared with the
commitment. That takes 90 ms for a state of 16 MB; where this process has done it
before, it compares the SHA-256 of all stored bytes instead, in 7 ms: equal bytes decode
to the same body. What a body builds on is taken in the same two ways: from what was
decoded for another version of this call, or where the bytes below it are the same as
they were when it was verified. The two sides of a promotion are often one chain.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from django.db import transaction

from apps.core import json
from apps.core.admission import gate
from apps.timeline import bodies
from apps.timeline.bodies import KEY_FRAME_EVERY, CorruptBody, Row
from apps.timeline.errors import BodyNotVerified
from apps.timeline.versions.deltas import Body, stored_chains
from apps.timeline.versions.reading import VersionRow, require_contents

# Below this a body is decoded as fast as anything else is compared.
RECOMPUTED_BYTES = 256 * 1024

log = structlog.get_logger("stepback.timeline")


def require_intact(*versions: VersionRow) -> None:
    """Recompute the bodies of the versions from what is stored.

    Raises: BodyNotVerified, naming the first that is not as it was; Busy.
    """
    for version in versions:
        require_contents(version)
    broken = _first_broken(versions)
    if broken is not None:
        raise BodyNotVerified(
            f"What is stored of v{broken.number} is not what was committed to: it "
            "cannot be restored, and nothing was done.",
            param="version",
            session_id=broken.session_id,
            version=broken.number,
        )


def is_intact(version: VersionRow) -> bool:
    """Return whether the stored body is the one that was committed to.

    Raises: Busy.
    """
    return _first_broken([version]) is None


def _first_broken(versions: Sequence[VersionRow]) -> VersionRow | None:
    """Raises: Busy."""
    for version in versions:
        gate.enter(version.body_size)
    found = stored_chains([_key(version) for version in versions])
    stored = {(row.session_id, row.number): row for row in found}
    decoded: dict[Body, bytes] = {}
    # What builds on another comes after it.
    for version in sorted(versions, key=lambda one: one.body_number):
        try:
            _recompute(version, _chain(stored, _key(version)), decoded)
        except CorruptBody:
            log.exception(
                "stored body is broken",
                session_id=version.session_id,
                number=version.number,
                body_number=version.body_number,
            )
            return version
    return None


def _key(version: VersionRow) -> Body:
    return version.session_id, version.body_number


def _chain(stored: Mapping[Body, Any], key: Body) -> list[Any]:
    """Return what the body is decoded from: its key frame first, itself last."""
    rows: list[Any] = []
    while key in stored and len(rows) <= KEY_FRAME_EVERY:
        rows.append(stored[key])
        key = key[0], rows[-1].base_number
    return rows[::-1]


def _recompute(
    version: VersionRow, rows: Sequence[Any], decoded: dict[Body, bytes]
) -> None:
    """Compare the stored body with the commitment, and keep it with the row.

    Raises: CorruptBody.
    """
    key, seal = _key(version), None
    seals: list[bytes] = []
    # Of an archived body the row says where it is, which proves nothing of it.
    is_here = all(row.codec < bodies.ARCHIVED for row in rows)
    if version.body_size > RECOMPUTED_BYTES and is_here and rows:
        seals = _seals(rows)
        seal = bodies.Seal(seals[-1], bytes(version.commitment))
        if bodies.cache.seal(key) == seal:
            return
    base_raw, rest = _known_base(rows, seals, decoded)
    raw = bodies.reconstruct(
        rest,
        session_id=version.session_id,
        base_raw=base_raw,
        expected=version.commitment,
    )
    decoded[key] = raw
    object.__setattr__(version, "raw", raw)
    transaction.on_commit(partial(bodies.cache.put, key, raw, seal))


def _known_base(
    rows: Sequence[Any], seals: Sequence[bytes], decoded: Mapping[Body, bytes]
) -> tuple[bytes | None, Sequence[Any]]:
    """Return the last body below that is known to be what is stored, and the rest."""
    for place in range(len(rows) - 2, -1, -1):
        key = rows[place].session_id, rows[place].number
        raw = decoded.get(key)
        if raw is None and seals:
            seal = bodies.cache.seal(key)
            if seal is not None and seal.stored == seals[place]:
                raw = bodies.cache.get(key)
        if raw is not None:
            return raw, rows[place + 1 :]
    return None, rows


def _seals(rows: Sequence[Row]) -> list[bytes]:
    """Return the digest of all that each of these bodies is decoded from."""
    digests, found = [], hashlib.sha256()
    for row in rows:
        found.update(json.dumps([row.number, row.base_number, row.codec, row.size]))
        for part in (row.salt, row.data):
            found.update(len(part).to_bytes(8))
            found.update(part)
        digests.append(found.digest())
    return digests
