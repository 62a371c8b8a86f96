"""Effects that nobody finished in time: told once, to whoever follows sessions."""

from __future__ import annotations

from datetime import datetime

from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.timeline.ledger.effects import calls
from apps.timeline.models import EffectDue

AT_ONCE = 200


def tell_unknown_effects(*, actor: Actor, now: datetime) -> int:
    """Write that begun effects whose deadline is over are unknown; return how many.

    Reads have said so since that moment. Each is a transaction of its own, under its
    session's lock, so a finish that comes meanwhile is either before it or after.
    """
    told = 0
    while True:
        due = EffectDue.objects.over(now=now)
        found = list(due.values_list("session_id", "effect_id")[:AT_ONCE])
        told += sum(_told(actor, now, *one) for one in found)
        if len(found) < AT_ONCE:
            return told


def _told(actor: Actor, now: datetime, session_id: str, effect_id: str) -> bool:
    row = calls.run(
        calls.LAPSE,
        {
            "session": session_id,
            "effect": effect_id,
            "now": now,
            "actor_kind": actor.kind.value,
            "actor_id": actor.id,
            "actor_label": actor.label,
            "request_id": new_id("req", now=now),
            "event_id": new_id("trace", now=now),
        },
    )
    return bool(row.timeline_effect_lapse_v1)
