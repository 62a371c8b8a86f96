"""What a resumed run has to see first: the next task, and what is not settled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.core.time.moments import utc_text
from apps.timeline import hooks
from apps.timeline.api import shapes
from apps.timeline.bodies import Part, facts, tasks
from apps.timeline.bodies.facts import Fact
from apps.timeline.queries import listing
from apps.timeline.queries.effects import EffectRow, effects
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import EffectStatus

# Of each kind so many are listed; who has more lists them where they are.
MOST = 100


def resuming(
    version: VersionRow, parts: tuple[Part, ...], *, now: datetime
) -> dict[str, Any]:
    """Return what a run goes on with by this version, and by its session as it is."""
    session_id = version.session_id
    unknown = effects(
        session_id, now=now, status=EffectStatus.UNKNOWN.value, limit=MOST
    )
    return {
        "next_task": tasks.next_task(tasks.listed(parts)),
        "open_approvals": hooks.open_asked(session_id, limit=MOST, now=now),
        "unknown_effects": [_effect(one) for one in unknown[:MOST]],
        "spent": shapes.spent_object(listing.spent(session_id)),
        "facts_to_check": [fact_object(one) for one in _stale(version, parts, now)],
    }


def fact_object(fact: Fact) -> dict[str, Any]:
    return {
        "key": fact.key,
        "value": fact.value,
        "source": fact.source,
        "observed_at": utc_text(fact.observed_at),
        "checked_at": utc_text(fact.checked_at),
        "max_age": fact.max_age,
        "tolerance": fact.tolerance,
    }


def _stale(version: VersionRow, parts: tuple[Part, ...], now: datetime) -> list[Fact]:
    """Return the facts that are past their age."""
    if facts.part_of(parts):
        found = facts.facts_of(parts, {})
    elif facts.may_hold(reading.state_part(parts)):
        found = facts.facts_of((), reading.parsed(version))
    else:
        return []
    return [one for one in found.found if one.is_too_old(now)][:MOST]


def _effect(effect: EffectRow) -> dict[str, Any]:
    return {
        "id": effect.id,
        "key": effect.key,
        "tool": effect.tool,
        "class": effect.counts_as.value,
        "number": effect.number,
        "attempt": effect.attempt,
    }
