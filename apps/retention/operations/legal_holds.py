"""Setting and ending legal holds: what stands under one, nobody removes."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.retention.errors import LegalHoldEnded, UnacceptableLegalHold
from apps.retention.models import LegalHold
from apps.retention.operations.recording import record_hold
from apps.retention.standing import wait_for_removals
from apps.retention.words import HoldKind
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session

LONGEST_REASON = 2_000
LONGEST_VALUE = 255


@transaction.atomic
def set_legal_hold(
    *,
    act: Act,
    kind: HoldKind,
    value: str | None,
    reason: str,
    until: datetime | None = None,
) -> LegalHold:
    """Keep what it names from being removed; once this is answered nothing goes.

    Raises: UnacceptableLegalHold, SessionNotFound, AgentNotFound.
    """
    _require(value, kind, reason, until, act.now)
    wait_for_removals(act.project_id)
    meant = _meant(act, kind, value or "")
    hold = LegalHold.objects.create(
        id=new_id("hold", now=act.now),
        project=act.project,
        kind=kind,
        value=meant,
        reason=reason.strip(),
        until=until,
        set_by_kind=act.actor.kind.value,
        set_by_id=act.actor.id,
        set_by_label=act.actor.label,
        created_at=act.now,
    )
    # A person's name stays out of the record, which outlives the person's data.
    named = {} if kind == HoldKind.USER else {"value": meant}
    record_hold(Action.LEGAL_HOLD_SET, hold, act, named)
    return hold


@transaction.atomic
def end_legal_hold(*, act: Act, hold_id: str, reason: str) -> LegalHold:
    """Let what it named go again, if nothing else holds it.

    Raises: LegalHoldNotFound, LegalHoldEnded, UnacceptableLegalHold.
    """
    _require_reason(reason)
    mine = LegalHold.objects.of_project(act.project_id)
    hold = mine.select_for_update(no_key=True).one(hold_id)
    if not hold.stands(act.now):
        raise LegalHoldEnded
    hold.ended_at, hold.ended_by_label = act.now, act.actor.label
    hold.end_reason = reason.strip()
    hold.save(update_fields=["ended_at", "ended_by_label", "end_reason"])
    record_hold(Action.LEGAL_HOLD_ENDED, hold, act, {})
    return hold


def _meant(act: Act, kind: HoldKind, value: str) -> str:
    """Return what is kept of whom it names; a person may be unknown as yet.

    Raises: SessionNotFound, AgentNotFound.
    """
    if kind == HoldKind.PROJECT:
        return act.project_id
    if kind == HoldKind.USER:
        return value
    if kind == HoldKind.AGENT:
        return Agent.objects.visible_to(act.scope).one_named(value).id
    if not Session.objects.of_project(act.project_id).filter(id=value).exists():
        raise SessionNotFound
    return value


def _require(
    value: str | None,
    kind: HoldKind,
    reason: str,
    until: datetime | None,
    now: datetime,
) -> None:
    """Raises: UnacceptableLegalHold."""
    if (value is None) != (kind == HoldKind.PROJECT):
        raise UnacceptableLegalHold(
            "value names the session, the person or the agent; a hold of the project "
            "has none.",
            param="value",
        )
    if value is not None and not _is_text(value, LONGEST_VALUE):
        raise UnacceptableLegalHold(
            f"value has 1 to {LONGEST_VALUE} characters.", param="value"
        )
    if until is not None and until <= now:
        raise UnacceptableLegalHold("until lies in the past.", param="until")
    _require_reason(reason)


def _require_reason(reason: str) -> None:
    """Raises: UnacceptableLegalHold."""
    if not _is_text(reason.strip(), LONGEST_REASON):
        raise UnacceptableLegalHold(
            f"A reason has 1 to {LONGEST_REASON:,} characters.", param="reason"
        )


def _is_text(text: str, longest: int) -> bool:
    return 1 <= len(text) <= longest and "\0" not in text
