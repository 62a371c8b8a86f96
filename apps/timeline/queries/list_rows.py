"""What sessions are about, for lists and pages: one statement for all of them.

A title is the first that exists of: what the agent has set, the objective in the state,
what the customer said first. A fork that has no title of its own has its origin's.
Nothing of a body is read for it: the objective is one of the head's facets, and first
words are kept by the projector (`projection/openings.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from apps.core import sql
from apps.timeline.projection import openings

# Forks of forks of forks: nobody looks for a title further than this.
DEEPEST = 8
# A larger turn is read by the projector alone.
LARGEST = 64 * 1024
_TITLES = sql.query("timeline", "titles")


def titles(sessions: Sequence[str]) -> dict[str, str]:
    """Return the titles of those sessions that have any."""
    if not sessions:
        return {}
    asked = {
        "sessions": list(sessions),
        "deepest": DEEPEST,
        "latest": openings.LATEST,
        "largest": LARGEST,
    }
    rows = sql.rows(_TITLES, asked)
    found = {
        session_id: _title([_said(row) for row in family])
        for session_id, family in groupby(rows, key=lambda row: row.session_id)
    }
    return {one: title for one, title in found.items() if title is not None}


@dataclass(frozen=True, slots=True)
class _Said:
    """What one session of a family says, itself or in one of its first turns."""

    title: str | None
    objective: str | None
    opening: str | None


def _said(row: Any) -> _Said:
    opening = row.opening
    if row.data is not None:
        opening = openings.opening_of(row)
    return _Said(row.title, row.objective, opening)


def _title(family: Sequence[_Said]) -> str | None:
    """Choose: any title before any objective, that before any first words."""
    for kind in ("title", "objective", "opening"):
        for one in family:
            text = getattr(one, kind)
            if text is not None:
                return str(text)
    return None
