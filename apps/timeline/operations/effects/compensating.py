"""What is owed for effects that a rollback has crossed: asked for, done or waived."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.timeline import hooks
from apps.timeline.errors import (
    CompensationClosed,
    EffectsCrossed,
    EffectsUnconfirmed,
)
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import CompensationStep
from apps.timeline.queries.effects import (
    CrossedEffect,
    one_compensation,
    owed_effects,
)
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import VersionRow, require_text
from apps.timeline.words import CompensationStatus, Crossing

MAX_COMPENSATING = 2_000
MOST_NAMED = 50
SAID = tuple(one for one in CompensationStatus if one != CompensationStatus.OPEN)
_OWE = sql.of_session("""
INSERT INTO timeline_compensation (session_id, effect_id, rollback_number, created_at)
SELECT %(session)s, u.id, %(number)s, %(at)s FROM unnest(%(ids)s::varchar[]) u (id)
    ON CONFLICT DO NOTHING RETURNING 1
""")
CLOSED = (CompensationStatus.DONE, CompensationStatus.WAIVED)


class Owed:
    """What a rollback leaves to be put right: looked for, then written with it."""

    def __init__(self, crossing: Crossing) -> None:
        self._crossing = crossing
        self._ids: Sequence[str] = ()

    def look(self, head: VersionRow, restored: VersionRow) -> None:
        """Find what the rollback goes behind, under the session's lock.

        Raises: EffectsCrossed where it must go behind nothing; EffectsUnconfirmed.
        """
        found = owed_effects(head, restored)
        self._ids = found.ids
        if self._ids and self._crossing is Crossing.NOTHING_OWED:
            named = list(self._ids[:MOST_NAMED])
            count = len(self._ids)
            raise EffectsCrossed(param="on_effects", effects=named, count=count)
        if found.is_grave and self._crossing is Crossing.NOTHING_GRAVE:
            raise EffectsUnconfirmed(param="letters")

    def write(self, receipt: Receipt) -> int:
        """Write it down in the rollback's transaction; return how many there are.

        There is one of an effect for ever.
        """
        if self._ids:
            # The first of them: it may be migrated in the same batch.
            made = receipt.made[0]
            asked = {
                "session": receipt.session_id,
                "ids": list(self._ids),
                "number": made.number,
                "at": made.created_at,
            }
            sql.rows(_OWE, asked)
        return len(self._ids)


@transaction.atomic
def change_compensation(
    *,
    act: Act,
    session_id: str,
    effect_id: str,
    status: str,
    reason: str | None = None,
) -> CrossedEffect:
    """Say what became of what is owed for an effect; the same again is what it was.

    `requested` asks whoever follows webhooks to put it right; `waived` says that it
    stays as it is, and why. What is done or waived never changes.

    Raises: SessionNotFound, CompensationNotFound, CompensationClosed, InvalidRequest,
    and what a gate refuses asking with (`hooks.gates`).
    """
    reason = _reason(status, reason)
    fetching.head(act.scope, session_id, now=act.now)
    lock_session(session_id)
    head = fetching.head(act.scope, session_id, now=act.now)
    before = one_compensation(session_id, effect_id, now=act.now)
    if (before.compensation, before.reason) == (status, reason):
        return before
    if before.compensation in CLOSED:
        raise CompensationClosed(status=before.compensation)
    if status == CompensationStatus.REQUESTED:
        asked = hooks.CompensationAsked(
            act=act,
            session_id=session_id,
            agent_id=head.agent_id,
            head_number=head.number,
            effect_id=effect_id,
        )
        hooks.ask_compensation(asked)
    _write_step(act, session_id, effect_id, status, reason)
    is_asked = status == CompensationStatus.REQUESTED
    audit.record_for(
        act=act,
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.COMPENSATION_REQUESTED
        if is_asked
        else Action.COMPENSATION_FINISHED,
        resource_type="effect",
        resource_id=effect_id,
        # The record names it, not what it says.
        details={"status": status, "class": before.counts_as.value},
        number=head.number,
    )
    return one_compensation(session_id, effect_id, now=act.now)


def _write_step(
    act: Act, session_id: str, effect_id: str, status: str, reason: str | None
) -> None:
    steps = CompensationStep.objects.filter(session_id=session_id, effect_id=effect_id)
    CompensationStep.objects.create(
        session_id=session_id,
        effect_id=effect_id,
        ordinal=steps.count() + 1,
        status=status,
        reason=reason,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def _reason(status: str, reason: str | None) -> str | None:
    """Raises: InvalidRequest."""
    if status not in SAID:
        raise InvalidRequest(f"status takes {', '.join(SAID)}.", param="status")
    if status == CompensationStatus.WAIVED and not (reason or "").strip():
        raise InvalidRequest("Say why it stays as it is.", param="reason")
    require_text("reason", reason or "", MAX_COMPENSATING)
    return (reason or "").strip() or None
