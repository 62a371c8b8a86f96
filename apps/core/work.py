"""How much work one answer takes, counted from what is done and never by a clock.

So a page ends at the same place on a busy machine, on a slow one and in a test. A unit
is about a microsecond of a processor: measured with states of all kinds, parsed,
compared and walked, of which texts take less (0.2) and objects with 100,000 keys more
(2). What is read with the database's index alone is counted by the row.
"""

from __future__ import annotations

from apps.core import gate

# What a page may take: about a second.
PAGE = 1_000_000
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

    __slots__ = ("_done", "_most")

    def __init__(self, most: int = PAGE) -> None:
        self._most = most
        self._done = 0

    @property
    def is_spent(self) -> bool:
        return self._done >= self._most

    def spend(self, work: int) -> None:
        """Count work that was done, or is about to be.

        Raises: Busy where the gate refuses to let the request go on.
        """
        self._done += work
        gate.spend(work)
