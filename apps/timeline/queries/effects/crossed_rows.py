"""Effects beside a rollback as they are read: the row, and the statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import sql
from apps.timeline.words import EffectClass, EffectStatus


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
    def call(self) -> str:
        """The id under which its call is reported."""
        return self.call_id or self.key


def beside_rollbacks(which: str) -> str:
    """Return the statement that reads effects of a session that meet a condition."""
    return sql.of_session(sql.query("timeline", "effects_beside", which=which))


def found(
    query: str, session_id: str, now: datetime, **asked: Any
) -> list[CrossedEffect]:
    given = {"limit": None, "session": session_id, "now": now, **asked}
    return sql.records(CrossedEffect, query, given)
