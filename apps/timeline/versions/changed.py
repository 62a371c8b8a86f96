"""What an append kept of a version's changes, as whoever looks may see it.

The first ones, their values shortened: enough to say what a version did, and to tell
whether two did the same as far as that goes.
"""

from __future__ import annotations

from typing import Any, Protocol

from apps.core.json import Json, items_left_out
from apps.diffs.changes import MISSING, Change, CutList, Kind
from apps.diffs.readers import reader


class Changed(Protocol):
    """What knows what was kept of its changes."""

    @property
    def changes(self) -> list[dict[str, Any]]: ...


def kept_changes(version: Changed) -> list[Change]:
    """Return what the append kept of the changes: the first ones, shortened."""
    return [
        Change(
            kept["pointer"],
            Kind(kept["kind"]),
            _side(kept, "before"),
            _side(kept, "after"),
            kept.get("from_pointer"),
            kept.get("differs_at"),
        )
        for kept in map(_seen, version.changes)
    ]


def _seen(kept: dict[str, Any]) -> dict[str, Any]:
    """Return a change as whoever looks may see it."""
    who = reader()
    return kept if who is None else who.change(kept)


def _side(kept: dict[str, Json], name: str) -> Json:
    """Return a value as it was kept; a list knows how long all of it is."""
    value = kept.get(name, MISSING)
    n_left_out = items_left_out(value) if isinstance(value, list) else 0
    if not n_left_out:
        return value
    # Versions of the first releases say it in the list alone.
    length = kept.get(f"{name}_length", len(value) - 1 + n_left_out)
    return CutList(value, length)
