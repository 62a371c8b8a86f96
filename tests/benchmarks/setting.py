"""How thoroughly a row is measured, and what it may use."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.pairs import PAIRS


@dataclass(frozen=True, slots=True)
class Setting:
    """`quick` shows that a row works; its figures mean little."""

    superuser_dsn: str
    quick: bool = False
    # What rows share, by name, open until the last row is measured.
    opened: ExitStack = field(default_factory=ExitStack)
    shared: dict[str, str] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        return 2 if self.quick else PAIRS

    @property
    def seconds(self) -> float:
        """How long a lane sends load at a time."""
        return 1.0 if self.quick else 3.0

    def count(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def runs_file(self) -> Path | None:
        """The recorded runs, if somebody named them."""
        named = os.environ.get("STEPBACK_RUNS")
        return Path(named) if named else None
