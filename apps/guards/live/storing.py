"""Store verdicts with the write that they are of, and do what the guards say.

All of it is under the session's lock, in the transaction that stores the write.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.approvals import operations as approvals
from apps.approvals.words import Class
from apps.core.actors import SYSTEM
from apps.core.errors import DomainError
from apps.core.provenance import Request
from apps.guards.detecting import Outcome, reason_of
from apps.guards.live.telling import tell
from apps.guards.models import Verdict
from apps.guards.words import Did, Mode
from apps.timeline import operations as timeline
from apps.timeline.models import Version
from apps.timeline.operations import Step
from apps.timeline.words import Hold

if TYPE_CHECKING:
    from apps.guards.live.judging import Found

TOOL = "guard.pass"
# The reason code of what a guard holds or takes back.
REASON = "guard"
# So often guards step a session back within so long; the next time they hold it.
MOST_STEPS = 3
WITHIN = timedelta(hours=1)


def store(act: Act, receipt: Any, found: Sequence[Found]) -> None:
    """Write what was found, tell of it, and hold or step back the session."""
    ours = Act(
        scope=Scope(act.scope.project),
        actor=SYSTEM,
        now=act.now,
        request=Request(id=act.request.id),
    )
    did = dict.fromkeys(Mode, Did.FLAGGED) | {Mode.OBSERVE: Did.NOTHING}
    if act.actor.is_agent:
        did |= _acted(ours, receipt.session_id, found)
    turn_number = receipt.turn_number or 0
    Verdict.objects.bulk_create(
        Verdict(
            project_id=act.project_id,
            session_id=receipt.session_id,
            number=one.number,
            turn_number=turn_number if one.has_turn else 0,
            guard_id=one.guard.id,
            revision=one.guard.revision,
            is_undecided=one.finding.outcome is Outcome.UNDECIDED,
            did=did[one.guard.mode],
            created_at=act.now,
        )
        for one in found
    )
    for one in found:
        if one.guard.mode is not Mode.OBSERVE:
            _tell(ours, receipt, one, did[one.guard.mode])


def _acted(act: Act, session_id: str, found: Sequence[Found]) -> dict[Mode, Did]:
    """Do what the guards say; return what was done for which mode."""
    modes = {one.guard.mode for one in found}
    did: dict[Mode, Did] = {}
    if Mode.HOLD in modes:
        # A version pauses the session itself; a turn alone cannot.
        _hold(act, session_id, _why(found, Mode.HOLD))
        did[Mode.HOLD] = Did.HELD
    if Mode.STEP_BACK in modes:
        did[Mode.STEP_BACK] = _step_back(act, session_id, found)
    if Mode.ASK in modes:
        did[Mode.ASK] = _ask(act, session_id, found)
    return did


def _step_back(act: Act, session_id: str, found: Sequence[Found]) -> Did:
    """Go back to before the first version that failed; hold where that cannot be."""
    why = _why(found, Mode.STEP_BACK)
    failing = [
        one.number
        for one in found
        if one.guard.mode is Mode.STEP_BACK and one.is_version
    ]
    to = min(failing, default=0) - 1
    if to >= 0 and steps_within(session_id, act) < MOST_STEPS:
        # What a gate refuses, such as one that wants people's approval, is held.
        with suppress(DomainError), transaction.atomic():
            timeline.rollback(
                act=act,
                session_id=session_id,
                to=to,
                step=Step(reasoning=why),
                reason_code=REASON,
            )
            return Did.STEPPED_BACK
    _hold(act, session_id, why)
    return Did.HELD


def steps_within(session_id: str, act: Act) -> int:
    """Return how often guards have stepped the session back within the hour."""
    rollbacks = Version.objects.filter(
        session_id=session_id,
        restored_number__isnull=False,
        reason_code=REASON,
        actor_kind=SYSTEM.kind,
        created_at__gt=act.now - WITHIN,
    )
    return rollbacks.count()


def _ask(act: Act, session_id: str, found: Sequence[Found]) -> Did:
    """Ask people whether the session may go on, and pause it until they say so."""
    asking = next(one for one in found if one.guard.mode is Mode.ASK)
    why = _why(found, Mode.ASK)
    did = Did.HELD
    # Where so much is asked already, it is held without another question.
    with suppress(DomainError), transaction.atomic():
        approvals.ask(
            act=act,
            session_id=session_id,
            asked=approvals.Asked(
                tool=TOOL,
                arguments={
                    "guard_id": asking.guard.id,
                    "guard": asking.guard.name,
                    "kind": asking.guard.kind.value,
                    "number": asking.number,
                },
                effect_class=Class.REVERSIBLE,
                reason=why,
            ),
        )
        did = Did.ASKED
    _hold(act, session_id, why)
    return did


def _hold(act: Act, session_id: str, why: str) -> None:
    head = timeline.lock_head(act=act, session_id=session_id)
    if head.hold == Hold.OPEN:
        timeline.pause(
            act=act,
            session_id=session_id,
            step=Step(reasoning=why),
            reason_code=REASON,
        )


def _why(found: Sequence[Found], mode: Mode) -> str:
    mine = [one for one in found if one.guard.mode is mode]
    # Without places: they would outlive a version that is emptied.
    said = (
        f"{one.guard.name}: "
        f"{reason_of(one.guard.rule, one.finding, names_places=False)}"
        for one in mine
    )
    named = "; ".join(dict.fromkeys(said))
    return f"v{mine[0].number} does not pass the guard {named}."


def _tell(act: Act, receipt: Any, found: Found, did: Did) -> None:
    turn_number = receipt.turn_number if found.has_turn else None
    where = {"version": found.number, "turn_number": turn_number}
    tell(act, receipt.session_id, found, did, where)
