"""The text of an entry: what of it is embedded, as the app that keeps it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.core import json
from apps.meaning.embedding import LONGEST_TEXT
from apps.meaning.hooks import TEXTS
from apps.timeline import queries
from apps.timeline.queries import CorruptBody, EntryRow

# Bodies that are read together: a value has up to a megabyte.
BYTES_AT_ONCE = 4 * 1024 * 1024


def texts_of(document_id: str, rows: Sequence[EntryRow]) -> dict[str, str]:
    """Return the beginning of each entry's text by its key; nothing for what has none.

    Nor for what cannot be read any more: `verify` tells of that.
    """
    found: dict[str, str] = {}
    for some in _together(rows):
        bodies = _bodies(document_id, some)
        for row in some:
            text = _text(bodies.get(row.body_number or 0))
            if text and not text.isspace():
                found[row.key] = text
    return found


def _together(rows: Sequence[EntryRow]) -> Iterator[list[EntryRow]]:
    some: list[EntryRow] = []
    size = 0
    for row in rows:
        if some and size + row.size > BYTES_AT_ONCE:
            yield some
            some, size = [], 0
        some.append(row)
        size += row.size
    if some:
        yield some


def _bodies(document_id: str, rows: Sequence[EntryRow]) -> dict[int, bytes]:
    try:
        return queries.contents(document_id, rows)
    except CorruptBody:
        if len(rows) == 1:
            return {}
    found: dict[int, bytes] = {}
    for row in rows:
        found |= _bodies(document_id, [row])
    return found


def _text(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    body = json.parse_written(raw)
    if not isinstance(body, dict):
        return None
    for read in TEXTS.values():
        text = read(body)
        if text is not None:
            return text[:LONGEST_TEXT]
    return None
