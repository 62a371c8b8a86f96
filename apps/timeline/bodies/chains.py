"""A body along its chain of deltas, from the key frame on."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from apps.timeline.bodies.archives import Spans
from apps.timeline.bodies.bundles import CorruptBody
from apps.timeline.bodies.codec import KEY_FRAME_EVERY, decode, verify
from apps.timeline.bodies.sealing import Place


class Row(Protocol):
    """A stored body as a query returns it."""

    @property
    def number(self) -> int: ...
    @property
    def base_number(self) -> int | None: ...
    @property
    def codec(self) -> int: ...
    @property
    def data(self) -> bytes: ...
    @property
    def size(self) -> int: ...
    @property
    def salt(self) -> bytes: ...


def reconstruct(
    rows: Sequence[Row],
    *,
    session_id: str = "",
    base_raw: bytes | None = None,
    expected: bytes | None = None,
    spans: Spans | None = None,
) -> bytes:
    """Return the last row's body; rows run from the key frame, each on the one before.

    With `base_raw`, the decoded base of the first row, the key frame is not needed.
    With `expected`, the version's commitment, the result is verified.

    Raises: CorruptBody, also for a chain with a gap or beyond the longest allowed;
    KeysUnavailable, ObjectsUnavailable.
    """
    if not 0 < len(rows) <= KEY_FRAME_EVERY:
        raise CorruptBody("The chain of deltas is empty or too long.")
    first = rows[0]
    place = Place(session_id, first.salt)
    spans = spans or Spans()
    raw = decode(first.codec, first.data, first.size, base_raw, place, spans)
    for before, row in pairwise(rows):
        if row.base_number != before.number:
            raise CorruptBody("The chain of deltas has a gap.")
        place = Place(session_id, row.salt)
        raw = decode(row.codec, row.data, row.size, raw, place, spans)
    if expected is not None:
        verify(raw, rows[-1].salt, expected)
    return raw
