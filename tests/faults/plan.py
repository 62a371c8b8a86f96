"""What a run was asked for, and what a scenario reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from tests.faults.checking import Checked, check
from tests.faults.cutting_link import CuttingLink
from tests.faults.house import (
    House,
    distant_house,
    house,
    linked_house,
    premises,
    small_disk,
)
from tests.faults.journal import Journal
from tests.faults.silent_link import SilentLink

SAY_SECONDS = 5.0


@dataclass
class Plan:
    """A run is a function of its seed and the commit, as far as time allows."""

    seed: int
    is_short: bool
    say: Callable[[str], None]
    shared: House | None = None
    linked: tuple[House, CuttingLink] | None = None
    _said_at: float = field(default_factory=time.monotonic)

    def number(self, full: int, short: int) -> int:
        return short if self.is_short else full

    def random(self, name: str) -> Random:
        return Random(f"{self.seed}/{name}")

    @contextmanager
    def house(self, **environment: str) -> Iterator[House]:
        """Lend the house that several scenarios share, or build one for this alone."""
        if self.shared is not None:
            yield self.shared
            return
        with premises() as folder, house(folder, environment=environment) as built:
            yield built

    @contextmanager
    def small_house(self) -> Iterator[House]:
        """Build a house whose disk can be filled: others would fill it.

        Raises: CannotMount.
        """
        with premises() as folder, small_disk(folder), house(folder) as built:
            yield built

    @contextmanager
    def linked_house(self) -> Iterator[tuple[House, CuttingLink]]:
        """The same, of a house whose link to PostgreSQL can be cut."""
        if self.linked is not None:
            yield self.linked
            return
        with premises() as folder, linked_house(folder) as built:
            yield built

    @contextmanager
    def distant_house(self) -> Iterator[tuple[House, SilentLink]]:
        """Build a house whose PostgreSQL is on a machine that can be lost."""
        with premises() as folder, distant_house(folder) as built:
            yield built

    def progress(self, text: str) -> None:
        """Say it, unless something was said a moment ago."""
        if time.monotonic() - self._said_at >= SAY_SECONDS:
            self._said_at = time.monotonic()
            self.say(text)


@dataclass(frozen=True, kw_only=True)
class Result:
    """One line of the table."""

    name: str
    faults: str
    journal: Journal
    checked: Checked
    seconds: float
    notes: tuple[str, ...] = ()


COLUMNS = (
    "scenario",
    "faults",
    "acknowledged",
    "versions",
    "unknown",
    "resolved",
    "of them stored",
    "duplicates",
    "verify",
    "seconds",
)


def concluded(
    plan: Plan,
    name: str,
    house: House,
    journal: Journal,
    *,
    faults: str,
    began: float,
    notes: tuple[str, ...] = (),
) -> Result:
    """Check what is stored, then report.

    Raises: Violation.
    """
    # A house that several share is verified once, when all have done with it.
    is_own = plan.shared is None and plan.linked is None
    plan.say(f"{name}: {faults}; {journal}; checking")
    checked = check(house.dsn, journal, verifies=is_own)
    return Result(
        name=name,
        faults=faults,
        journal=journal,
        checked=checked,
        seconds=time.monotonic() - began,
        notes=notes,
    )


def cells(result: Result) -> list[str]:
    journal, checked = result.journal, result.checked
    return [
        result.name,
        result.faults,
        f"{journal.acknowledged:,}",
        f"{checked.versions:,}",
        f"{journal.unknown:,}",
        f"{journal.resolved:,}",
        f"{journal.stored_unseen:,}",
        f"{checked.duplicates:,}",
        checked.verified,
        f"{result.seconds:.0f}",
    ]


def table(results: list[Result]) -> str:
    """Return the results as a table that Markdown shows as one."""
    rows = [list(COLUMNS), *(cells(result) for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        + " |"
        for row in rows
    )
