"""What one step of an export makes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

# A step goes on until it has made so much, or is through.
STEP_BYTES = 1024 * 1024


@dataclass(kw_only=True, slots=True)
class Made:
    """The next part of a file, and where the step after goes on; None at the end.

    It is bytes of a text, or entries of a zip file, by their names.
    """

    cursor: dict[str, Any] | None = None
    data: bytearray = field(default_factory=bytearray)
    entries: list[tuple[str, bytes]] = field(default_factory=list)
    rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    # What was recomputed of chains of records.
    verified: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        size = len(self.data) + sum(len(data) for _, data in self.entries)
        return size >= STEP_BYTES
