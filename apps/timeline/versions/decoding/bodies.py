"""Bodies that versions show: decoded, and held against their commitments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from apps.core.admission import gate
from apps.diffs.readers import reader
from apps.timeline import bodies
from apps.timeline.versions import gone
from apps.timeline.versions.deltas import Body, stored_chains

if TYPE_CHECKING:
    from apps.timeline.versions.reading import VersionRow


def raw_bodies(versions: Sequence[VersionRow]) -> dict[Body, bytes]:
    """Return the framed parts, cached or decoded along their deltas.

    Every decoded body that a version shows is held against its commitment.

    Raises: bodies.CorruptBody, Busy, ContentsErased, VersionPruned, SessionNotFound.
    """
    gate.enter(sum(v.body_size for v in versions if v.raw is None))
    found: dict[Body, bytes] = {}
    missing: dict[Body, VersionRow] = {}
    for version in versions:
        # Asked here, because each read of a state comes by: two calls less.
        if not version.body_salt:
            raise gone.contents_erased(version.session_id, version.number)
        key = (version.session_id, version.body_number)
        raw = bodies.cache.get(key) if version.raw is None else version.raw
        if raw is None:
            missing[key] = version
        else:
            found[key] = raw
    return drawn_bodies(found | decode_shown(missing) if missing else found)


def decoded(wanted: dict[Body, bytes], *, size: int) -> dict[Body, bytes]:
    """Return framed parts by the commitments to them, of about `size` bytes together.

    Raises: bodies.CorruptBody, Busy.
    """
    gate.enter(size)
    known = {key: bodies.cache.get(key) for key in wanted}
    found = {key: raw for key, raw in known.items() if raw is not None}
    missing = {key: made for key, made in wanted.items() if key not in found}
    return found | decode_bodies(missing) if missing else found


def drawn_bodies(raws: dict[Body, bytes]) -> dict[Body, bytes]:
    """Return bodies as whoever looks may see them, once they were verified."""
    who = reader()
    if who is None:
        return raws
    return {
        key: bodies.frame(
            replace(part, data=who.part(part.name, part.data))
            for part in bodies.unframe(raw)
        )
        for key, raw in raws.items()
    }


def decode_shown(missing: dict[Body, VersionRow]) -> dict[Body, bytes]:
    """Decode what these versions show, whatever a removal did since they were read."""
    try:
        return decode_bodies({key: one.commitment for key, one in missing.items()})
    except bodies.CorruptBody:
        places = {
            key: gone.place_now(one.session_id, one.number) or key
            for key, one in missing.items()
        }
        if all(key == place for key, place in places.items()):
            raise
    moved = decode_bodies({places[key]: one.commitment for key, one in missing.items()})
    return {key: moved[place] for key, place in places.items()}


def decode_bodies(wanted: dict[Body, bytes]) -> dict[Body, bytes]:
    """Decode bodies from what is stored, by the commitments to them.

    Raises: bodies.CorruptBody.
    """
    rows = stored_chains(wanted)
    # A base is let go with its last use: a chain of 32 large bodies would not fit.
    uses = Counter((row.session_id, row.base_number) for row in rows)
    raws: dict[Body, bytes] = {}
    spans = bodies.Spans()
    for row in rows:
        key, base_key = (row.session_id, row.number), (row.session_id, row.base_number)
        # A base has a lower number than what builds on it, so it is decoded already.
        base = None if row.base_number is None else raws[base_key]
        place = bodies.Place(row.session_id, row.salt)
        raws[key] = bodies.decode(row.codec, row.data, row.size, base, place, spans)
        if key in wanted:
            bodies.verify(raws[key], row.salt, wanted[key])
            # At once outside a transaction; inside one it may be the transaction's
            # own body, which a rollback takes back and another writer replaces.
            transaction.on_commit(partial(bodies.cache.put, key, raws[key]))
        uses[base_key] -= 1
        if not uses[base_key] and base_key not in wanted:
            raws.pop(base_key, None)
    if not wanted.keys() <= raws.keys():
        raise bodies.CorruptBody("The body is not there.")
    return {key: raws[key] for key in wanted}
