"""Effects of a session as they are now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import sql
from apps.timeline.errors import EffectNotFound
from apps.timeline.words import EffectClass

_EFFECTS = sql.PreparedQuery(sql.of_session(sql.query("timeline", "effects")))


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectRow:
    """One effect, and its last step."""

    session_id: str
    id: str
    key: str
    tool: str
    call_id: str | None
    effect_class: str | None
    arguments: bytes | None
    arguments_size: int
    undo: bytes | None
    undo_until: datetime | None
    takes_provider_key: bool
    number: int
    actor_label: str
    created_at: datetime
    status: str
    attempt: int
    head_number: int
    deadline: datetime | None
    result: bytes | None
    result_reference: str | None
    result_digest: str | None
    external_id: str | None
    reason: str | None
    updated_by: str
    updated_at: datetime

    @property
    def counts_as(self) -> EffectClass:
        """The class; one that is not said counts as irreversible."""
        return EffectClass(self.effect_class or EffectClass.IRREVERSIBLE)


def effects(
    session_id: str,
    *,
    now: datetime,
    status: str | None = None,
    effect_class: str | None = None,
    before: str | None = None,
    limit: int,
) -> list[EffectRow]:
    """Return up to `limit` + 1 effects of a session that was looked up, newest first.

    An effect without a class is found as irreversible.
    """
    asked = {
        "status": status,
        "class": effect_class,
        "before": before,
        "limit": limit + 1,
    }
    return _found(session_id, now, asked)


def one_effect(session_id: str, effect_id: str, *, now: datetime) -> EffectRow:
    """Return one effect of a session that was looked up already.

    Raises: EffectNotFound.
    """
    found = _found(session_id, now, {"id": effect_id, "limit": 1})
    if not found:
        raise EffectNotFound
    return found[0]


def _found(session_id: str, now: datetime, asked: dict[str, Any]) -> list[EffectRow]:
    nothing = dict.fromkeys(("id", "before", "class", "status"))
    asked = nothing | asked | {"session": session_id, "now": now}
    return [EffectRow(**row._asdict()) for row in sql.run_prepared(_EFFECTS, asked)]
