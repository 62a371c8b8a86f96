"""Decodes the bodies of one session, oldest first, each once along its deltas.

Nothing comes from the process's cache of decoded bodies: what is stored is to be read.
"""

from __future__ import annotations

from apps.core.admission.work import BYTES_A_UNIT, WorkBudget, of_json
from apps.timeline import bodies
from apps.timeline.bodies import Cache, Codec, CorruptBody
from apps.timeline.verification.derived import Shown, shown
from apps.timeline.verification.rows import StoredBody
from apps.timeline.versions.deltas import stored_chains

# What rollbacks go back to is mostly a few versions old.
KEPT_BYTES = 16 * 1024 * 1024


class Bodies:
    """The decoded bodies of a session; the last one, and some more, are kept."""

    def __init__(self, session_id: str, budget: WorkBudget) -> None:
        self.session_id = session_id
        self.budget = budget
        # After a removal the depth that is recorded is the largest that may be.
        self.is_exact = True
        self._last: tuple[int, bytes] | None = None
        self._spans = bodies.Spans()
        self._kept = Cache(KEPT_BYTES)

    def checked(self, body: StoredBody, commitment: bytes) -> bytes:
        """Return the body, decoded and held against the commitment to it.

        The one place that decides whether a stored body is sound; one that was emptied
        is not asked for here.

        Raises: CorruptBody.
        """
        _require_place(body, is_exact=self.is_exact)
        base = None if body.base_number is None else self.raw(body.base_number)
        place = bodies.Place(self.session_id, body.salt)
        raw = bodies.decode(body.codec, body.data, body.size, base, place, self._spans)
        bodies.verify(raw, body.salt, commitment)
        self._keep(body.number, raw)
        return raw

    def raw(self, number: int) -> bytes:
        """Return a body that was looked at before, from memory or decoded again.

        Raises: CorruptBody.
        """
        if self._last and self._last[0] == number:
            return self._last[1]
        known = self._kept.get((self.session_id, number))
        if known is None:
            rows = stored_chains([(self.session_id, number)])
            # Before it is done: what is too much may have to wait for its turn.
            self.budget.spend(sum(row.size for row in rows) // BYTES_A_UNIT)
            known = bodies.reconstruct(
                rows, session_id=self.session_id, spans=self._spans
            )
        self._last = (number, known)
        return known

    def shown_in(self, raw: bytes) -> Shown:
        """Return the state in a decoded body.

        Raises: CorruptBody, MalformedJson.
        """
        part = bytes(bodies.state_view(raw))
        self.budget.spend(of_json(part) + len(raw) // BYTES_A_UNIT)
        return shown(raw, part)

    def _keep(self, number: int, raw: bytes) -> None:
        self._last = (number, raw)
        self._kept.put((self.session_id, number), raw)


def _require_place(body: StoredBody, *, is_exact: bool) -> None:
    # Sealed or archived, it is the same below.
    is_delta = body.codec % bodies.SEALED == Codec.ZSTD_DELTA
    if is_delta != (body.base_number is not None):
        raise CorruptBody("The codec is unknown, or its base is missing.")
    if body.base_number is not None and body.base_number >= body.number:
        raise CorruptBody("It builds on a body that is not earlier.")
    depth = 0 if body.base_depth is None else body.base_depth + 1
    if body.depth < depth or (is_exact and body.depth != depth):
        raise CorruptBody("The recorded depth of its deltas is wrong.")
