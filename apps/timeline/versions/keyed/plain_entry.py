"""Reads one key of a keyed document for the holder of an API key, and records it.

It is the ordinary case in one statement: a key that lives, a value that stands and is
small. Whatever is not so gives None, and the ordinary reads (`entries`) find out what
it was. So they alone hold the rules; this may know fewer cases, never more.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from apps.audit import streams
from apps.core import sql
from apps.timeline import bodies
from apps.timeline.versions.keyed.entries import EntryRow
from apps.timeline.versions.keyed.values import entry_in

# A larger one is sent to whoever has not decoded it yet, and so by the ordinary reads.
LARGEST = 64 * 1024

_READ = sql.PreparedQuery(
    sql.of_session(f"""
SELECT * FROM timeline_keyed_read_v2(
    _session => %(session)s, _key => %(key)s, _largest => %(largest)s,
    _seen => %(seen)s, _config => %(config)s, _api_key => %(api_key)s,
    {streams.ARGUMENTS})
"""),  # noqa: S608
    streams.NULLS,
)
# Which body stood under a key when this process read it last: the newest such keys.
_MOST_SEEN = 10_000
_seen: OrderedDict[tuple[str, str], int] = OrderedDict()
_seen_lock = threading.Lock()
_NONE = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainEntry:
    """What stands under a key, and the JSON that is kept of it.

    `config` is the commitment to the config that stands, empty where there is none.
    """

    row: EntryRow
    content: bytes
    config: bytes


def read(
    connection: Connection[Any],
    *,
    document_id: str,
    key: str,
    api_key_id: str,
    config: bytes,
    record: Mapping[str, Any],
) -> PlainEntry | None:
    """Return what stands, or None where anything about it is out of the ordinary.

    It is recorded, by `streams.ARGUMENTS`, if `config` stands, as of their time; also a
    read of what turns out to be corrupt.

    Raises: psycopg.Error.
    """
    seen = _seen.get((document_id, key), _NONE)
    # Kept here, for another thread may drop it from the cache meanwhile.
    raw = bodies.cache.get((document_id, seen)) if seen else None
    asked = {
        "session": document_id,
        "key": key,
        "api_key": api_key_id,
        "largest": LARGEST,
        "seen": _NONE if raw is None else seen,
        "config": config,
        **record,
    }
    rows = _READ.rows(connection, asked)
    if not rows or rows[0].number is None:
        return None
    row = rows[0]
    if row.data is not None and not bodies.is_at_hand(row.codec, row.data):
        return None
    try:
        if raw is None or row.body_number != seen:
            raw = _decoded(document_id, row)
            _note_seen(document_id, key, row.body_number)
        content = entry_in(raw)
    except bodies.CorruptBody:
        return None
    return PlainEntry(
        row=EntryRow(
            key=key,
            number=row.number,
            ordinal=row.ordinal,
            body_number=row.body_number,
            size=row.size,
            created_at=row.created_at,
            updated_at=row.updated_at,
            expires_at=row.expires_at,
            commitment=row.commitment,
        ),
        content=content,
        config=row.config,
    )


def _note_seen(document_id: str, key: str, body_number: int) -> None:
    with _seen_lock:
        _seen[document_id, key] = body_number
        _seen.move_to_end((document_id, key))
        while len(_seen) > _MOST_SEEN:
            _seen.popitem(last=False)


def _decoded(document_id: str, row: Any) -> bytes:
    """Raises: bodies.CorruptBody."""
    place = (document_id, row.body_number)
    raw = bodies.cache.get(place)
    if raw is None:
        own = bodies.Place(document_id, row.salt)
        raw = bodies.decode(row.codec, row.data, row.body_size, None, own)
        bodies.verify(raw, row.salt, row.commitment)
        bodies.cache.put(place, raw)
    return raw
