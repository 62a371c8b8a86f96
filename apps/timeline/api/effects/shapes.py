"""Effects as objects of answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orjson import Fragment

from apps.accounts.models import Project
from apps.core.time.moments import utc_text
from apps.timeline.ledger.effects.values import provider_key
from apps.timeline.models import AgentForgetting, Forgetting
from apps.timeline.operations import Begun
from apps.timeline.queries.effects import CrossedEffect, EffectRow, ResultRow
from apps.timeline.words import CacheScope, EffectStatus


def effect_object(project: Project, effect: EffectRow) -> dict[str, Any]:
    is_begun = effect.status == EffectStatus.BEGUN
    return {
        "object": "effect",
        "id": effect.id,
        "session_id": effect.session_id,
        "key": effect.key,
        "tool": effect.tool,
        "class": effect.counts_as.value,
        "class_declared": effect.effect_class is not None,
        **_outcome(effect),
        "attempt": effect.attempt,
        "number": effect.number,
        "call_id": effect.call_id or effect.key,
        "arguments": _json(effect.arguments),
        "arguments_size": effect.arguments_size,
        "undo": _json(effect.undo),
        "undo_until": utc_text(effect.undo_until),
        "takes_provider_key": effect.takes_provider_key,
        "provider_key": provider_key(project, effect.session_id, effect.key),
        "deadline": utc_text(effect.deadline) if is_begun else None,
        "reason": effect.reason,
        "source": _source(effect),
        "created_at": utc_text(effect.created_at),
        "created_by": effect.actor_label,
        "updated_at": utc_text(effect.updated_at),
        "updated_by": effect.updated_by,
    }


def crossed_object(effect: CrossedEffect) -> dict[str, Any]:
    """Return an effect beside a rollback; what was called is read at its address."""
    return {
        "object": "crossed_effect",
        "id": effect.id,
        "key": effect.key,
        "tool": effect.tool,
        "call_id": effect.call,
        "class": effect.counts_as.value,
        "class_declared": effect.effect_class is not None,
        "status": effect.status,
        "attempt": effect.attempt,
        "version": effect.head_number,
        "at": utc_text(effect.at),
        "undo_until": utc_text(effect.undo_until),
        "has_undo": effect.undo_start is not None,
    }


def compensation_object(session_id: str, effect: CrossedEffect) -> dict[str, Any]:
    return crossed_object(effect) | {
        "object": "compensation",
        "session_id": session_id,
        "rollback_version": effect.rollback_number,
        "compensation": effect.compensation,
        "reason": effect.reason,
        "updated_at": utc_text(effect.compensated_at),
        "updated_by": effect.compensated_by,
    }


def begin_object(
    project: Project, session_id: str, key: str, begun: Begun
) -> dict[str, Any]:
    effect = begun.effect
    shared = {
        "object": "effect_begin",
        "run": begun.run,
        "provider_key": provider_key(project, session_id, key),
        "approval": begun.approval,
    }
    if effect is None:
        absent = ("id", "attempt", "number", "deadline", "source", *_OUTCOME)
        return dict.fromkeys(absent) | shared
    return _outcome(effect) | {
        "id": effect.id,
        "attempt": effect.attempt,
        "number": effect.number,
        "deadline": utc_text(effect.deadline) if begun.run else None,
        "source": _source(effect),
        **shared,
    }


def result_object(result: ResultRow) -> dict[str, Any]:
    """Return a result that may answer its call again."""
    return {
        "object": "result",
        "id": result.effect_id,
        "session_id": result.session_id,
        "key": result.key,
        "tool": result.tool,
        "arguments": _json(result.arguments),
        "arguments_size": result.arguments_size,
        "version": result.version,
        "made_at": utc_text(result.made_at),
        "scope": result.cache_scope or CacheScope.SESSION.value,
        "reused": result.reused,
        "result": _json(result.result),
        "result_reference": result.result_reference,
        "result_digest": result.result_digest,
        "external_id": result.external_id,
    }


def forgetting_object(made: Forgetting | AgentForgetting) -> dict[str, Any]:
    by = "call" if made.call_digest else "tool" if made.tool else "all"
    return {
        "object": "results_forgotten",
        "id": made.id,
        "by": by,
        "tool": made.tool,
        "reason": made.reason,
        "created_at": utc_text(made.created_at),
        "created_by": made.actor_label,
    }


def _source(effect: EffectRow) -> dict[str, Any] | None:
    """Return which result of the record answered, if one did."""
    source = effect.source
    if source is None:
        return None
    return asdict(source) | {"made_at": utc_text(source.made_at)}


_OUTCOME = ("status", "result", "result_reference", "result_digest", "external_id")


def _outcome(effect: EffectRow) -> dict[str, Any]:
    return {
        "status": effect.status,
        "result": _json(effect.result),
        "result_reference": effect.result_reference,
        "result_digest": effect.result_digest,
        "external_id": effect.external_id,
    }


def _json(data: bytes | None) -> Fragment | None:
    return None if data is None else Fragment(data)
