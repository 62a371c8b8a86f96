"""Pages of a session's versions and turns as the API answers them, oldest first.

Each page says where the next goes on, so that whoever takes a session out can do it by
steps. What a removal has taken of it is missing: numbers have gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from apps.timeline import hooks
from apps.timeline.api import shapes
from apps.timeline.api.turns import turn_objects
from apps.timeline.errors import VersionNotFound
from apps.timeline.models import Label, Session, Turn
from apps.timeline.queries import within_bytes
from apps.timeline.versions import (
    VersionRow,
    live_ranges,
    removed_between,
    set_aside_by,
    states_of,
    tombstone_object,
    versions_of,
)

# Versions, or turns, that are read at once.
AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Page:
    """Objects, and behind which number the next page begins; None: this is the last."""

    objects: Sequence[dict[str, Any]]
    after: int | None


def about(session: Session, through: int) -> dict[str, Any]:
    """Return a session as it was at a version, without its state.

    What a removal has taken of it, or emptied, is named.

    Raises: VersionNotFound where nothing is left up to it.
    """
    found = versions_of(session.id, newest_first=True, after=through + 1, limit=1)
    if not found:
        raise VersionNotFound
    counted = hooks.memory_counts(session.project_id, [session.id], now=timezone.now())
    told = shapes.session_object(
        session, found[0], b"{}", memory_count=counted.get(session.id, 0)
    )
    del told["state"]
    told["removed"] = [
        tombstone_object(one)
        for one in removed_between(found[0], 0, through, with_emptied=True)
    ]
    return told


def version_page(session_id: str, *, after: int | None, through: int) -> Page:
    """Return the versions behind a number, with their states, as many as fit."""
    rows, last = version_rows(session_id, after=after, through=through)
    return Page(version_objects(session_id, rows, through), last)


def version_rows(
    session_id: str, *, after: int | None, through: int
) -> tuple[list[VersionRow], int | None]:
    """Return the versions behind a number, as many as fit, and where to go on."""
    found = versions_of(session_id, newest_first=False, after=after, limit=AT_ONCE)
    shown = within_bytes(found[:AT_ONCE], lambda one: one.body_size)
    meant = [one for one in shown if one.number <= through]
    # Nothing may be left behind the number: a session that went meanwhile, or whose
    # newest versions are missing.
    is_last = not shown or len(shown) == len(found) or shown[-1].number >= through
    return meant, None if is_last else shown[-1].number


def version_objects(
    session_id: str, rows: Sequence[VersionRow], through: int
) -> list[dict[str, Any]]:
    """Return versions with their states, labels and what set them aside."""
    if not rows:
        return []
    states = states_of([one for one in rows if not one.is_emptied])
    numbers = [one.number for one in rows]
    labels = Label.objects.of_session(session_id).by_number(numbers)
    ranges = live_ranges(session_id, through, down_to=min(numbers))
    objects = []
    for one in rows:
        state = states.get((session_id, one.number))
        shown = shapes.version_object(one, labels.get(one.number, []), state)
        objects.append(shown | {"set_aside_by": set_aside_by(ranges, one.number)})
    return objects


def turn_page(session_id: str, *, after: int | None, through: int) -> Page:
    """Return the turns behind a number that left a version up to this one."""
    mine = Turn.objects.of_session(session_id).filter(head_number__lte=through)
    found = list(mine.in_order(newest_first=False, after=after)[: AT_ONCE + 1])
    shown = turn_objects(session_id, found[:AT_ONCE])
    is_last = len(shown) == len(found)
    return Page(shown, None if is_last else shown[-1]["turn_number"])
