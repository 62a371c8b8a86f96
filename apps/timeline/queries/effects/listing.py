"""Effects of a session as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from apps.core import keyset, sql
from apps.timeline.errors import EffectNotFound
from apps.timeline.words import EffectClass


def _effects(which: str) -> str:
    return sql.of_session(sql.query("timeline", "effects", which=which))


_PAGE = _effects(keyset.below_id("e.id"))
_ONE = sql.PreparedQuery(_effects("e.id = %(id)s"))


_CLASSES = sql.of_session("""
SELECT coalesce(e.call_id, e.key) AS call,
       coalesce(e.effect_class, 'irreversible') AS effect_class,
       e.source_effect_id IS NOT NULL AS is_reused
  FROM timeline_effect e
 WHERE e.session_id = %(session)s
   AND coalesce(e.call_id, e.key) = ANY (%(calls)s::text[])
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answering:
    """The effect whose result answered another one; `version` was the head then."""

    session_id: str
    effect_id: str
    version: int
    made_at: datetime


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
    source_session_id: str | None
    source_effect_id: str | None
    source_number: int | None
    source_at: datetime | None
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

    @property
    def source(self) -> Answering | None:
        """What answered it from the record, None where it was called."""
        number, at = self.source_number, self.source_at
        session_id, effect_id = self.source_session_id, self.source_effect_id
        if not session_id or not effect_id or number is None or at is None:
            return None
        return Answering(
            session_id=session_id, effect_id=effect_id, version=number, made_at=at
        )


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
    asked: dict[str, Any] = {
        "status": status,
        "class": effect_class,
        "before": before,
        "limit": limit + 1,
    }
    asked |= {"session": session_id, "now": now}
    return sql.records(EffectRow, _PAGE, asked)


def one_effect(session_id: str, effect_id: str, *, now: datetime) -> EffectRow:
    """Return one effect of a session that was looked up already.

    Raises: EffectNotFound.
    """
    asked = {"session": session_id, "id": effect_id, "now": now, "limit": 1}
    found = sql.run_prepared(_ONE, asked | dict.fromkeys(("status", "class")))
    if not found:
        raise EffectNotFound
    return EffectRow(**found[0]._asdict())


class BegunCall(NamedTuple):
    """What a reported call was begun as, and whether the record has answered it."""

    effect_class: EffectClass
    is_reused: bool


def possible(calls: Sequence[str]) -> list[str]:
    """Return the ids that a stored effect can have: agents report any others too."""
    return [one for one in calls if "\0" not in one]


def begun_calls(session_id: str, calls: Sequence[str]) -> dict[str, BegunCall]:
    """Return what calls of a session were begun as, by the ids that report them."""
    found = sql.rows(_CLASSES, {"session": session_id, "calls": possible(calls)})
    return {
        row.call: BegunCall(EffectClass(row.effect_class), row.is_reused)
        for row in found
    }
