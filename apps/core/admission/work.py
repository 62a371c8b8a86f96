"""How much work one answer takes, counted from what is done.

So a page ends at the same place on a busy machine, on a slow one and in a test; a clock
ends it only where the machine takes ten times as long. A unit is about a microsecond of
a processor: measured with states of all kinds, parsed, compared and walked, of which
texts take less (0.2) and objects with 100,000 keys more (2). What is read with the
database's index alone is counted by the row.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from apps.core.admission import gate

# What a page may take: about a second.
PAGE = 1_000_000
# Beyond it a page ends whatever it has done: before a client or a proxy gives up.
PAGE_SECONDS = 10.0
# A row with its index entries: read, sent and made an object.
ROW = 20
# Decoding, checksums, copies: beside what the values in it take.
BYTES_A_UNIT = 500
_STRUCTURE = b",[{"


def of_json(data: bytes) -> int:
    """Return what it takes to decode a body, parse the JSON in it and walk it once.

    About one unit a value. A comma in a text counts as well: that is quicker than to
    tell the two apart, 0.5 ms for a megabyte.
    """
    n_values = len(data) - len(data.translate(None, _STRUCTURE))
    return 1 + len(data) // BYTES_A_UNIT + n_values


class WorkBudget:
    """The work that one answer may do; what is done counts at the gate as well."""

    __slots__ = ("_clock", "_done", "_ends_at", "_most")

    def __init__(
        self,
        most: int | None = None,
        *,
        seconds: float = PAGE_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most = PAGE if most is None else most
        self._done = 0
        self._clock = clock
        self._ends_at = clock() + seconds

    @property
    def done(self) -> int:
        return self._done

    @property
    def is_spent(self) -> bool:
        # Without any work done a page would never get further.
        is_late = self._done > 0 and self._clock() >= self._ends_at
        return is_late or self._done >= self._most

    def spend(self, work: int) -> None:
        """Count work that was done, or is about to be.

        Raises: Busy where the gate refuses to let the request go on.
        """
        self._done += work
        gate.spend(work)
