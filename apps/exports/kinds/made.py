"""What one step of an export makes, and who makes it, by its kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(kw_only=True, slots=True)
class Made:
    """The next bytes of a file, and where the step after goes on; None at the end."""

    cursor: dict[str, Any] | None
    data: bytearray = field(default_factory=bytearray)
    rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
