"""States of one session for whoever goes through its history once, in its order.

Beside `reading`: of a version nothing is read but where its body is, and nothing goes
into the cache, which is for what is asked for again. Each body is still held against
its commitment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from apps.core import json, sql
from apps.core.admission import gate
from apps.core.json import State
from apps.diffs.readers import reader
from apps.timeline import bodies
from apps.timeline.versions.deltas import STORED, stored_chains

_ROWS = sql.of_session(f"""
SELECT {STORED} FROM timeline_body b
 WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
 ORDER BY b.number
""")  # noqa: S608


class Stream:
    """The states of a session by the numbers of their bodies.

    The last state of one reading is at hand in the next one: it is what the next body
    builds on, and what a version that changed nothing shows.
    """

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._last: dict[int, bytes] = {}
        self._states: dict[int, State] = {}

    def read(
        self, wanted: Mapping[int, bytes], *, size: int
    ) -> dict[int, State] | None:
        """Return states by the commitments to their bodies, without emptied ones.

        None where they have to be read one by one, as `reading` does it: somebody may
        see a part of them alone, a removal came in between, or one is damaged.

        Raises: Busy, KeysUnavailable, ObjectsUnavailable.
        """
        if reader() is not None:
            return None
        if not wanted:
            return {}
        gate.enter(size)
        try:
            return self._read(wanted)
        except bodies.CorruptBody:
            return None

    def _read(self, wanted: Mapping[int, bytes]) -> dict[int, State] | None:
        rows = self._rows(sorted(wanted.keys() - self._states.keys()))
        found = {at: one for at, one in self._states.items() if at in wanted}
        raws, spans = dict(self._last), bodies.Spans()
        # What nothing builds on any more is let go: all at once might not fit.
        uses, newest = Counter(row.base_number for row in rows), max(wanted)
        for row in rows:
            if not row.salt:
                continue
            base = raws.get(row.base_number)
            place = bodies.Place(self._session_id, row.salt)
            raw = bodies.decode(row.codec, row.data, row.size, base, place, spans)
            raws[row.number] = raw
            if row.number in wanted:
                bodies.verify(raw, row.salt, wanted[row.number])
                found[row.number] = json.parse_written(bytes(bodies.state_view(raw)))
            uses[row.base_number] -= 1
            for number in (row.base_number, row.number):
                if not uses[number] and number != newest:
                    raws.pop(number, None)
        if not wanted.keys() <= {row.number for row in rows} | found.keys():
            return None
        if newest in found:
            self._states = {newest: found[newest]}
            self._last = {newest: raws[newest]} if newest in raws else {}
        return found

    def _rows(self, numbers: list[int]) -> list[Any]:
        """Return these bodies and what they build on, each after its base."""
        if not numbers:
            return []
        asked = {"session": self._session_id, "numbers": numbers}
        found = {row.number: row for row in sql.rows(_ROWS, asked)}
        bases = {one.base_number for one in found.values()} - {None}
        if below := bases - found.keys() - self._last.keys():
            wanted = [(self._session_id, number) for number in below]
            found = {row.number: row for row in stored_chains(wanted)} | found
        return [found[number] for number in sorted(found)]
