"""Beginning an effect: the one question whether a call may run now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.timeline import hooks
from apps.timeline.errors import (
    EffectDiffers,
    EffectInProgress,
    EffectUnknown,
    VersionNotFound,
    VersionSetAside,
)
from apps.timeline.ledger import policies
from apps.timeline.ledger.effects import calls
from apps.timeline.ledger.effects.values import NewEffect
from apps.timeline.ledger.locking import lock_session
from apps.timeline.operations.effects.refusing import refusal, require_seen
from apps.timeline.queries.effects import EffectRow, find_result, one_effect
from apps.timeline.words import EffectStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """Whether the call is to be run now; if not, what it came to or what it waits for.

    `effect` is None only where an `approval` is waited for: nothing is begun then.
    """

    run: bool
    effect: EffectRow | None = None
    approval: Mapping[str, Any] | None = None


def begin_effect(*, act: Act, session_id: str, effect: NewEffect) -> Begun:
    """Say that a call is about to be made; of one key and session it is made once.

    Only where `run` is true may it be made, and its outcome is finished with that
    attempt. What was done already is returned as it was; what failed, and what is
    unknown of a read or a tool that takes our key, begins another attempt. With
    `cache`, a result of the record may answer a read in place of its call.

    Raises: SessionNotFound, EffectDiffers, EffectInProgress, EffectUnknown,
    AgentSuspended, AgentDeleted, SessionPaused, SessionClosed, VersionNotFound,
    VersionSetAside, DeadlinePassed, InvalidRequest, UnacceptableJson, PayloadTooLarge,
    ContentTooLarge, and what a gate refuses it with (`hooks.gates`).
    """
    policy = policies.WRITE[act.actor.kind]
    deadline = effect.until(act.now)
    parameters = calls.of_effect(act, session_id, effect, policy, deadline)
    require_seen(act, session_id)
    if effect.cache is not None:
        answer = _reused(act, session_id, effect, parameters)
        if answer is not None:
            return answer
    if hooks.concerns_begin(act, session_id, effect.key):
        return _gated(act, session_id, effect, parameters)
    outcome = calls.run(calls.BEGIN, parameters | {"only_asks": False})
    return _told(act, session_id, parameters, outcome)


@transaction.atomic
def _reused(
    act: Act, session_id: str, effect: NewEffect, parameters: Mapping[str, Any]
) -> Begun | None:
    """Answer a read from the record, if that has a result of the call; None runs it.

    The session's lock is taken before looking: no rollback and no forgetting comes in
    between. Nothing is called, so no gate is asked.
    """
    lock_session(session_id)
    source = find_result(act, session_id, effect, parameters["call_digest"])
    if source is None:
        return None
    given = {**parameters, **calls.of_source(source), "only_asks": False}
    outcome = calls.run(calls.BEGIN, given)
    # What was tried under this key before is begun again, as without a record.
    return (
        None if outcome.outcome == "tried" else _told(act, session_id, given, outcome)
    )


@transaction.atomic
def _gated(
    act: Act, session_id: str, effect: NewEffect, parameters: Mapping[str, Any]
) -> Begun:
    """Ask the gates under the session's lock, which the first call takes."""
    outcome = calls.run(calls.BEGIN, {**parameters, "only_asks": True})
    if outcome.outcome != "may_begin":
        return _told(act, session_id, parameters, outcome)
    asked = hooks.BeginAsked(
        act=act,
        session_id=session_id,
        agent_id=outcome.agent_id,
        head_number=outcome.head_number,
        key=effect.key,
        tool=effect.tool,
        effect_class=effect.counts_as,
        arguments=effect.arguments,
        number=outcome.number,
        attempt=outcome.attempt,
    )
    approval = hooks.ask_begin(asked)
    if approval is not None:
        return Begun(run=False, approval=approval)
    outcome = calls.run(calls.BEGIN, {**parameters, "only_asks": False})
    return _told(act, session_id, parameters, outcome)


def _just_stored(sent: Mapping[str, Any], outcome: Any) -> EffectRow:
    """Return the effect as it was just stored, without reading it."""
    same = ("key", "tool", "call_id", "arguments", "arguments_size", "undo")
    is_reused = outcome.outcome == "reused"
    return EffectRow(
        session_id=sent["session"],
        id=outcome.effect_id,
        **{name: sent[name] for name in same},
        effect_class=sent["class"],
        undo_until=sent["undo_until"],
        takes_provider_key=sent["takes_key"],
        number=outcome.number,
        source_session_id=sent["source_session"],
        source_effect_id=sent["source_effect"],
        source_number=sent["source_number"],
        source_at=sent["source_at"],
        actor_label=sent["actor_label"],
        created_at=outcome.created_at,
        status=EffectStatus.REUSED if is_reused else EffectStatus.BEGUN,
        attempt=outcome.attempt,
        head_number=outcome.head_number,
        deadline=outcome.deadline,
        result=sent["result"],
        result_reference=sent["reference"],
        result_digest=sent["result_digest"],
        external_id=sent["external_id"],
        reason=None,
        updated_by=sent["actor_label"],
        updated_at=outcome.created_at,
    )


def _told(
    act: Act, session_id: str, parameters: Mapping[str, Any], outcome: Any
) -> Begun:
    """Return what the function says of the effect.

    Raises: whatever the outcome refuses it with.
    """
    about = {"effect_id": outcome.effect_id, "attempt": outcome.attempt}
    match outcome.outcome:
        case "begun" | "done" | "reused":
            is_begun = outcome.outcome == "begun"
            if outcome.attempt == 1 and outcome.outcome != "done":
                return Begun(run=is_begun, effect=_just_stored(parameters, outcome))
            found = one_effect(session_id, outcome.effect_id, now=act.now)
            return Begun(run=is_begun, effect=found)
        case "differs":
            raise EffectDiffers(param="key", **about)
        case "in_progress":
            raise EffectInProgress(param="key", **about)
        case "unsettled":
            raise EffectUnknown(param="key", **about)
        case "absent":
            raise VersionNotFound(param="number", head=outcome.head_number)
        case "aside":
            raise VersionSetAside(param="number", head=outcome.head_number)
    raise refusal(outcome)
