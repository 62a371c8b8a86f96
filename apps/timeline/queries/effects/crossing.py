"""Which effects a rollback goes behind.

What an effect came to while version n was the head, the state of n + 1 may know, if
that was stored on n: an effect stands between the two. A state knows of it if both are
in its lineage in one stretch. So an effect is crossed by a rollback if the head's
lineage has it and that of the version which made the restored body has it not.

A session may have acted a thousand times: how many are crossed is counted in the
database, and only those are read that somebody looks at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.core import sql
from apps.timeline.queries.effects.crossed_rows import (
    CrossedEffect,
    beside_rollbacks,
)
from apps.timeline.queries.effects.listing import possible
from apps.timeline.versions.lineage import live_ranges_from, without
from apps.timeline.versions.reading import VersionRow

_CROSSING = sql.PreparedQuery(sql.of_session(sql.query("timeline", "crossing")))
_SOME = sql.PreparedQuery(beside_rollbacks("e.id = ANY (%(ids)s::varchar[])"))
_ALL = 2**31 - 1

Lineages = Sequence[Sequence[range]]


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossedEffects:
    """How many effects a rollback goes behind, and the first of them.

    `first` has unknown ones first, then those that cannot be taken back. `by_call` has
    those whose reported calls were asked for, among the first or not.
    """

    count: int
    n_owed: int
    is_grave: bool
    first: tuple[CrossedEffect, ...] = ()
    by_call: Mapping[str, CrossedEffect] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class OwedEffects:
    """All effects that would be owed for; `is_grave`: people are to confirm it."""

    ids: tuple[str, ...]
    is_grave: bool


def crossed_effects(
    head: VersionRow,
    lineages: Lineages,
    *,
    now: datetime,
    limit: int,
    calls: Sequence[str] = (),
) -> CrossedEffects:
    """Return what a rollback goes behind, the first `limit` of it to be shown.

    `lineages` are what is live as seen from the head, and from the version that made
    the restored body.
    """
    asked = {"limit": limit, "calls": possible(calls), "owed_only": False}
    counted = _counted(head, lineages, asked)
    called = counted.called_ids or []
    wanted = {*(counted.ids or ()), *called}
    read = _read(head.session_id, wanted, now) if wanted else {}
    return CrossedEffects(
        count=counted.n_all,
        n_owed=counted.n_owed,
        is_grave=counted.is_grave,
        first=tuple(read[one] for one in counted.ids or ()),
        by_call={read[one].call: read[one] for one in called},
    )


def owed_effects(head: VersionRow, restored: VersionRow) -> OwedEffects:
    """Return what a rollback would leave to be put right, the gravest first."""
    asked = {"limit": _ALL, "calls": [], "owed_only": True}
    numbers = [head.number, restored.body_number]
    lineages = live_ranges_from(head.session_id, numbers)
    counted = _counted(head, lineages, asked)
    return OwedEffects(ids=tuple(counted.ids or ()), is_grave=counted.is_grave)


def _counted(head: VersionRow, lineages: Lineages, asked: dict[str, Any]) -> Any:
    (newest, *older), known = lineages
    aside = without([newest, *map(inside, older)], [inside(one) for one in known])
    spans = {
        "lows": [one.start for one in aside],
        "highs": [one.stop for one in aside],
    }
    given = asked | spans | {"session": head.session_id}
    (counted,) = sql.run_prepared(_CROSSING, given)
    return counted


def _read(session_id: str, ids: set[str], now: datetime) -> Mapping[str, CrossedEffect]:
    asked = {"session": session_id, "now": now, "limit": None, "ids": sorted(ids)}
    rows = sql.run_prepared(_SOME, asked)
    return {row.id: CrossedEffect(**row._asdict()) for row in rows}


def inside(live: range) -> range:
    """Return after which versions of a stretch another one follows in it."""
    return range(live.start, live.stop - 1)
