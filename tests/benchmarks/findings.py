"""What a row found, beside its limit; how it is kept, printed and put into the docs.

A finding that is missed says by how much. Nothing here fails: figures are for people.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

BEGIN = "<!-- benchmarks: written by `python -m tests.benchmarks --write-docs` -->"
END = "<!-- benchmarks end -->"
# The unit of a ratio.
TIMES = "\N{MULTIPLICATION SIGN}"
HEADING = "| what | measured | limit | verdict | ours | other | noise |"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One figure. `limit` None: reported only. `scale` is how people say it.

    `noise` is the lane against itself, or "" where a size is always the same.
    """

    what: str
    measured: float
    limit: float | None = None
    at_least: bool = False
    unit: str = TIMES
    ours: str = ""
    other: str = ""
    noise: str = ""
    note: str = ""

    @property
    def is_met(self) -> bool:
        if self.limit is None:
            return True
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit

    @property
    def verdict(self) -> str:
        """Return whether the limit is kept; if not, by how much it is missed."""
        if self.limit is None:
            return "reported"
        if self.is_met:
            return "met"
        high, low = max(self.measured, self.limit), min(self.measured, self.limit)
        return f"missed by {high / low:.2f} {TIMES}" if low else "missed"

    @property
    def limit_text(self) -> str:
        if self.limit is None:
            return "-"
        return f"{'≥' if self.at_least else '≤'} {figure(self.limit, self.unit)}"

    @property
    def measured_text(self) -> str:
        return figure(self.measured, self.unit)


def figure(value: float, unit: str) -> str:
    """Write a value as people say it: small ratios as parts, `1/40`."""
    if unit == TIMES:
        return f"1/{1 / value:.0f}" if 0 < value <= 0.1 else f"{value:.2f} {TIMES}"
    return f"{value:,.0f} {unit}" if value >= 10 else f"{value:,.2f} {unit}"


def noise_text(low_high: tuple[float, float]) -> str:
    return f"{low_high[0]:.2f}-{low_high[1]:.2f}"


def told(one: Finding) -> str:
    """Return the finding as a line for the terminal."""
    against = f", {one.ours or '-'} / {one.other or '-'}"
    noise = f", noise {one.noise}" if one.noise else ""
    return (
        f"{one.what}: {one.measured_text} (limit {one.limit_text}: {one.verdict})"
        f"{against}{noise}"
    )


def markdown(findings: Iterable[Finding]) -> str:
    """Return the table, and below it the notes."""
    lines = [HEADING, "|" + "---|" * (HEADING.count("|") - 1)]
    notes: list[str] = []
    for one in findings:
        what = one.what
        if one.note:
            if one.note not in notes:
                notes.append(one.note)
            what += f" ({notes.index(one.note) + 1})"
        cells = (
            what,
            one.measured_text,
            one.limit_text,
            one.verdict,
            one.ours or "-",
            one.other or "-",
            one.noise or "-",
        )
        lines.append("| " + " | ".join(cells) + " |")
    said = [f"({at}) {note}" for at, note in enumerate(notes, 1)]
    return "\n".join(lines) + "\n" + "".join(f"\n{line}\n" for line in said)


def write_table(page: Path, text: str) -> None:
    """Replace the text between the two markers.

    Raises: ValueError unless both occur, in order.
    """
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks the line {BEGIN!r} or {END!r}.")
    page.write_text(f"{before}{BEGIN}\n\n{text.rstrip()}\n{END}{after}")


class Kept:
    """The findings of this run and of earlier ones, by row, in a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: dict[str, dict[str, Any]] = {}
        if file.exists():
            self.rows = json.loads(file.read_text())

    def keep(self, row: str, findings: Sequence[Finding], **facts: Any) -> None:
        """Replace what the row found before, and write the file at once."""
        self.rows[row] = facts | {"findings": [asdict(one) for one in findings]}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        written = json.dumps(self.rows, indent=1, ensure_ascii=False)
        self.file.write_text(f"{written}\n")

    def findings(self, rows: Iterable[str]) -> list[Finding]:
        """Return what these rows found, in their order; rows never run are left out."""
        return [
            Finding(**one)
            for row in rows
            if row in self.rows
            for one in self.rows[row]["findings"]
        ]

    def thorough(self) -> Kept:
        """Return what was measured in full, to be shown and not to be written."""
        found = Kept(self.file)
        found.rows = {name: row for name, row in self.rows.items() if not row["quick"]}
        return found
