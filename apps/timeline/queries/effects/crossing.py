"""Which effects a rollback goes behind, and what is still owed for such ones.

What an effect came to while version n was the head, the state of n + 1 may know, if
that was stored on n: an effect stands between the two. A state knows of it if both are
in its lineage in one stretch. So an effect is crossed by a rollback if the head's
lineage has it and that of the version which made the restored body has it not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import keyset, sql
from apps.timeline.errors import CompensationNotFound
from apps.timeline.versions.lineage import live_ranges, without
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import CompensationStatus, EffectClass, EffectStatus


def _beside_rollbacks(which: str) -> str:
    return sql.of_session(sql.query("timeline", "crossed_effects", which=which))


_CROSSED = _beside_rollbacks("""
c.effect_id IS NULL AND t.status NOT IN ('failed', 'reused') AND EXISTS (
       SELECT FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) aside (low, high)
        WHERE t.head_number BETWEEN aside.low AND aside.high)
""")
_COMPENSATED = _beside_rollbacks(f"""
c.effect_id IS NOT NULL AND {keyset.above_id("e.id")}
   AND (%(status)s::text IS NULL OR coalesce(k.status, 'open') = %(status)s)
""")
_SOME = _beside_rollbacks("c.effect_id IS NOT NULL AND e.id = ANY (%(ids)s::varchar[])")
_COMPENSATION = _beside_rollbacks("c.effect_id IS NOT NULL AND e.id = %(id)s")
_OPEN = (
    *(CompensationStatus.OPEN, CompensationStatus.REQUESTED),
    CompensationStatus.FAILED,
)
# What cannot be taken back comes first.
_GRAVITY = {
    EffectClass.IRREVERSIBLE: 1,
    EffectClass.COMPENSABLE: 2,
    EffectClass.REVERSIBLE: 3,
    EffectClass.READ: 4,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossedEffect:
    """An effect beside a rollback; arguments and undo are cut, for showing.

    `compensation` is the status of what is owed for it, None where nothing is.
    """

    id: str
    key: str
    tool: str
    call_id: str | None
    effect_class: str | None
    arguments_start: bytes | None
    arguments_size: int
    undo_start: bytes | None
    undo_until: datetime | None
    status: str
    attempt: int
    head_number: int
    at: datetime
    rollback_number: int | None
    compensation: str | None
    reason: str | None
    compensated_by: str | None
    compensated_at: datetime | None

    @property
    def counts_as(self) -> EffectClass:
        """The class; one that is not said counts as irreversible."""
        return EffectClass(self.effect_class or EffectClass.IRREVERSIBLE)

    @property
    def is_unknown(self) -> bool:
        """Whether nobody can say that it happened, or that it did not."""
        return self.status in (EffectStatus.UNKNOWN, EffectStatus.BEGUN)

    @property
    def is_owed(self) -> bool:
        """Whether the world may differ from the state because of it."""
        return self.effect_class != EffectClass.READ

    @property
    def is_grave(self) -> bool:
        """Whether people are asked to type who they mean before they cross it."""
        is_declared = self.effect_class == EffectClass.IRREVERSIBLE
        return self.is_owed and (is_declared or self.is_unknown)

    @property
    def call(self) -> str:
        """The id under which its call is reported."""
        return self.call_id or self.key


def crossed_effects(
    head: VersionRow, restored: VersionRow, *, now: datetime
) -> tuple[CrossedEffect, ...]:
    """Return what a rollback goes behind: unknown first, then by class and window.

    What an earlier rollback has crossed is not crossed again.
    """
    session_id = head.session_id
    newest, *older = live_ranges(session_id, head.number)
    known = live_ranges(session_id, restored.body_number)
    aside = without([newest, *map(_inside, older)], [_inside(one) for one in known])
    asked = {
        "lows": [one.start for one in aside],
        "highs": [one.stop - 1 for one in aside],
    }
    found = _found(_CROSSED, session_id, now, **asked)
    return tuple(sorted(found, key=_urgency))


def compensations(
    session_id: str,
    *,
    now: datetime,
    status: str | None = None,
    after: str | None = None,
    limit: int,
) -> list[CrossedEffect]:
    """Return up to `limit` + 1 of what was crossed in a session, oldest effect first.

    The caller has looked the session up.
    """
    asked = {"status": status, "after": after, "limit": limit + 1}
    return _found(_COMPENSATED, session_id, now, **asked)


def compensations_of(
    session_id: str, effect_ids: Sequence[str], *, now: datetime
) -> dict[str, CrossedEffect]:
    """Return what is owed for these effects of a session that was looked up."""
    found = _found(_SOME, session_id, now, ids=list(effect_ids))
    return {one.id: one for one in found}


def one_compensation(
    session_id: str, effect_id: str, *, now: datetime
) -> CrossedEffect:
    """Return what is owed for one effect of a session that was looked up.

    Raises: CompensationNotFound.
    """
    found = _found(_COMPENSATION, session_id, now, id=effect_id)
    if not found:
        raise CompensationNotFound
    return found[0]


def still_owed(
    head: VersionRow, live: Sequence[range], *, now: datetime
) -> list[CrossedEffect]:
    """Return what is open, and not known to the head: outside may differ by it.

    `live` is the head's lineage, which the version that made its body is part of. A
    rollback that is taken back brings back what its states knew.
    """
    owed = [
        one
        for one in _found(_COMPENSATED, head.session_id, now, status=None, after=None)
        if one.compensation in _OPEN
    ]
    if not owed:
        return []
    made = head.body_number
    known = [_inside(range(one.start, min(one.stop, made + 1))) for one in live]
    return [one for one in owed if not any(one.head_number in r for r in known)]


def _inside(live: range) -> range:
    """Return after which versions of a stretch another one follows in it."""
    return range(live.start, live.stop - 1)


def _urgency(one: CrossedEffect) -> tuple[Any, ...]:
    window = one.undo_until.timestamp() if one.undo_until else float("inf")
    gravity = 0 if one.is_unknown and one.is_owed else _GRAVITY[one.counts_as]
    return gravity, window, one.at


def _found(
    query: str, session_id: str, now: datetime, **asked: Any
) -> list[CrossedEffect]:
    given = {"limit": None, "session": session_id, "now": now, **asked}
    return sql.records(CrossedEffect, query, given)
