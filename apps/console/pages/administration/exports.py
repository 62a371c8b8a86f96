"""What the page Exports shows: which there are, how far they are, what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.accounts.models import Project
from apps.exports.asked import ALL
from apps.exports.models import Export
from apps.exports.words import Kind, State

SHOWN = 50
KINDS = {
    Kind.TRAJECTORIES: "conversations",
    Kind.SESSION: "a session",
    Kind.PERSON: "a person",
    Kind.AUDIT: "records",
}
# Reasons by which something is left out, for people.
REASONS = {
    "nothing_said": "in which nothing was said",
    "contents_erased": "that lost something to a removal",
    "too_long": "that are too long",
    "damaged": "that do not hold",
    "tokens_not_reported": "that report no tokens",
    "cost_not_reported": "that report no cost",
    "contents_of_files_masked": "files, which nobody can mask",
    "contents_of_files_gone": "files that are gone",
    "forks_of_others": "forks that are somebody else's",
    "sessions_gone": "that went meanwhile",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """An export in words."""

    export: Export
    kind: str
    filters: Sequence[tuple[str, str]]
    left_out: Sequence[tuple[int, str]]
    is_there: bool

    @property
    def is_making(self) -> bool:
        return bool(self.export.state == State.MAKING)


def exports(project: Project, *, now: datetime) -> dict[str, Any]:
    """Return the newest exports."""
    found = list(Export.objects.of_project(project.id).newest_first()[: SHOWN + 1])
    rows = [_row(one, now) for one in found[:SHOWN]]
    return {
        "exports": rows,
        "has_more": len(found) > SHOWN,
        "most": SHOWN,
        "is_making": any(one.is_making for one in rows),
    }


def _row(export: Export, now: datetime) -> Row:
    asked = export.asked
    return Row(
        export=export,
        kind=KINDS[Kind(export.kind)],
        filters=[
            (name.replace("_", " "), _said(asked[name]))
            for name in ALL
            if name in asked
        ],
        left_out=[
            (count, REASONS.get(reason, f"({reason.replace('_', ' ')})"))
            for reason, count in sorted(export.left_out.items())
        ],
        is_there=export.is_there(now),
    )


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
