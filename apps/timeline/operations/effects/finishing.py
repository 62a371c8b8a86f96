"""Finishing an effect: what came of the call, said by its process or by a person."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.errors import InvalidRequest, PermissionDenied
from apps.core.ids import new_id
from apps.timeline.errors import (
    EffectAttempt,
    EffectFinished,
    EffectNotFound,
    EffectNotUnknown,
)
from apps.timeline.ledger.effects import calls
from apps.timeline.ledger.effects.values import Finish
from apps.timeline.operations.effects.refusing import refusal, require_seen
from apps.timeline.queries.effects import EffectRow, one_effect
from apps.timeline.versions.reading import require_text
from apps.timeline.words import CacheScope, EffectStatus

MAX_SETTLING = 2_000
SETTLED = (EffectStatus.DONE, EffectStatus.FAILED)
# The newest begun counts, whoever comes last.
_OFFER = """
INSERT INTO timeline_agentresult AS r (
    project_id, agent_id, call_digest, tool, session_id, effect_id, begun_at)
VALUES (
    %(project)s, %(agent)s, %(digest)s, %(tool)s, %(session)s, %(effect)s, %(begun)s)
    ON CONFLICT (project_id, agent_id, call_digest) DO UPDATE
   SET session_id = excluded.session_id, effect_id = excluded.effect_id,
       begun_at = excluded.begun_at
 WHERE r.effect_id < excluded.effect_id
RETURNING 1
"""


def finish_effect(
    *, act: Act, session_id: str, effect_id: str, attempt: int, finish: Finish
) -> EffectRow:
    """Say what came of an attempt; the same again is what it was.

    It is told of a session that is held or closed as well: what happened outside has
    happened. What is unknown may be settled later, what is done never changes.

    Raises: SessionNotFound, EffectNotFound, EffectAttempt, EffectFinished,
    InvalidRequest, UnacceptableJson, ContentTooLarge.
    """
    is_unknown = finish.status == EffectStatus.UNKNOWN
    parameters = calls.of_finish(
        act,
        session_id,
        effect_id,
        finish,
        attempt=attempt,
        settles=False,
        reason=None,
        event_id=new_id("trace", now=act.now),
        action=Action.EFFECT_UNKNOWN if is_unknown else Action.EFFECT_FINISHED,
    )
    require_seen(act, session_id)
    outcome = calls.run(calls.FINISH, parameters)
    if outcome.outcome not in ("stored", "replay"):
        raise _refusal(outcome)
    if finish.status == EffectStatus.DONE and outcome.cache_scope == CacheScope.AGENT:
        _offer(act, session_id, effect_id, outcome)
    return one_effect(session_id, effect_id, now=act.now)


@transaction.atomic
def settle_effect(
    *, act: Act, session_id: str, effect_id: str, status: str, reason: str
) -> EffectRow:
    """Say what became of an effect of which it was not known; people alone do.

    The record names the effect, not the reason.

    Raises: SessionNotFound, EffectNotFound, EffectNotUnknown, PermissionDenied,
    InvalidRequest.
    """
    if act.actor.is_agent:
        raise PermissionDenied("Only people settle effects.")
    if status not in SETTLED:
        raise InvalidRequest(f"status takes {' or '.join(SETTLED)}.", param="status")
    if not reason.strip():
        raise InvalidRequest("Say how you know.", param="reason")
    require_text("reason", reason, MAX_SETTLING)
    parameters = calls.of_finish(
        act,
        session_id,
        effect_id,
        Finish(status=status),
        attempt=None,
        settles=True,
        reason=reason,
        event_id=None,
        action=None,
    )
    require_seen(act, session_id)
    outcome = calls.run(calls.FINISH, parameters)
    if outcome.outcome != "stored":
        raise _refusal(outcome)
    told = {"status": status, "attempt": outcome.attempt}
    audit.record_act(
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.EFFECT_SETTLED,
        resource_type="effect",
        resource_id=effect_id,
        act=act,
        details=told | {"class": outcome.counts_as},
        number=outcome.head_number,
    )
    return one_effect(session_id, effect_id, now=act.now)


def _offer(act: Act, session_id: str, effect_id: str, outcome: Any) -> None:
    """Point the agent's other sessions to this result.

    It is no part of the finish: where this is lost, they make their calls.
    """
    offered = {
        "project": act.project_id,
        "agent": outcome.agent_id,
        "digest": outcome.call_digest,
        "tool": outcome.tool,
        "session": session_id,
        "effect": effect_id,
        "begun": outcome.begun_at,
    }
    sql.rows(_OFFER, offered)


def _refusal(outcome: Any) -> Exception:
    about = {"status": outcome.status, "attempt": outcome.attempt}
    match outcome.outcome:
        case "absent":
            return EffectNotFound()
        case "settled":
            return EffectNotUnknown(**about)
        case "attempt":
            return EffectAttempt(param="attempt", **about)
        case "finished":
            return EffectFinished(**about)
    return refusal(outcome)
