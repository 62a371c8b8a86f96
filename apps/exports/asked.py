"""What may be asked of each kind of export, and what has to be."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.core.time.moments import moment, utc_text
from apps.exports.errors import UnacceptableExport
from apps.exports.words import Kind

LONGEST = 255
LONGEST_LABEL = 100
# By the kind, which filters it has; `unmasked` is of all.
FILTERS: Mapping[Kind, tuple[str, ...]] = {
    Kind.TRAJECTORIES: (
        *("agent", "release", "model", "label", "outcome", "rolled_back"),
        *("most_tokens", "most_cost"),
    ),
    Kind.AUDIT: ("agent", "start", "end", "format"),
    Kind.SESSION: ("session_id",),
    Kind.PERSON: ("user_id",),
}
REQUIRED = {Kind.SESSION: "session_id", Kind.PERSON: "user_id"}
ALL = tuple(dict.fromkeys(one for names in FILTERS.values() for one in names))


def checked(kind: Kind, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for, without what was not said.

    Raises: UnacceptableExport with the place.
    """
    said = {name: one for name, one in asked.items() if one is not None}
    for name in said:
        if name not in FILTERS[kind] and name != "unmasked":
            takes = ", ".join(FILTERS[kind])
            raise UnacceptableExport(
                f"An export of kind {kind.value} takes {takes}.", param=name
            )
    required = REQUIRED.get(kind)
    if required and not said.get(required):
        raise UnacceptableExport(
            f"An export of kind {kind.value} says of whom.", param=required
        )
    for name, value in said.items():
        if isinstance(value, str) and len(value) > _longest(name):
            raise UnacceptableExport(
                f"It has at most {_longest(name)} characters.", param=name
            )
    return _within_time(said)


def _longest(name: str) -> int:
    return LONGEST_LABEL if name == "label" else LONGEST


def _within_time(said: dict[str, Any]) -> dict[str, Any]:
    """Raises: UnacceptableExport."""
    times = {
        name: _moment(said[name], name) for name in ("start", "end") if name in said
    }
    if len(times) == 2 and times["start"] >= times["end"]:
        raise UnacceptableExport("It ends before it starts.", param="end")
    return said | {name: utc_text(at) for name, at in times.items()}


def _moment(text: str, name: str) -> datetime:
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise UnacceptableExport(
            f"{name} takes a date or a time in ISO 8601, as in 2026-01-31 or "
            "2026-01-31T12:00:00Z.",
            param=name,
        ) from None
