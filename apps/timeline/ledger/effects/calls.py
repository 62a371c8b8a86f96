"""The calls of the SQL functions of effects: parameters, named and typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.agents.acts import Act
from apps.core import sql
from apps.core.ids import new_id
from apps.timeline.ledger.effects.values import (
    MOST_KEPT,
    Finish,
    NewEffect,
    Source,
    call_digest,
)
from apps.timeline.ledger.encoding.calls import TYPES
from apps.timeline.ledger.policies import Policy

_ACT = {
    "session": "varchar",
    "project": "varchar",
    "now": "timestamptz",
    "api_key": "varchar",
    "request_id": "text",
    "actor_kind": "text",
    "actor_id": "text",
    "actor_label": "text",
}
_EFFECT = {
    "refused": "text[]",
    "suspends": "boolean",
    "only_asks": "boolean",
    "id": "varchar",
    "key": "varchar",
    "tool": "text",
    "call_digest": "bytea",
    "call_id": "text",
    "class": "text",
    "arguments": "bytea",
    "arguments_size": "bigint",
    "undo": "bytea",
    "undo_until": "timestamptz",
    "takes_key": "boolean",
    "number": "bigint",
    "deadline": "timestamptz",
    "event_id": "text",
    "cache_scope": "text",
    "source_session": "varchar",
    "source_effect": "varchar",
    "source_number": "bigint",
    "source_at": "timestamptz",
    "result": "bytea",
    "reference": "text",
    "result_digest": "text",
    "external_id": "text",
}
_FINISH = {
    "effect": "varchar",
    "attempt": "bigint",
    "settles": "boolean",
    "status": "text",
    "result": "bytea",
    "reference": "text",
    "result_digest": "text",
    "external_id": "text",
    "reason": "text",
    "digest": "bytea",
    "event_id": "text",
    "action": "text",
    "escalation_id": "text",
}
_LAPSE = (
    *("session", "effect", "now", "actor_kind", "actor_id", "actor_label"),
    *("request_id", "event_id"),
)


def _call(function: str, parameters: Mapping[str, str]) -> sql.PreparedQuery:
    given = ", ".join(
        f"_{name} => %({name})s::{kind}" for name, kind in parameters.items()
    )
    return sql.PreparedQuery(
        sql.of_session(f"SELECT * FROM {function}({given})"),  # noqa: S608
        {name: TYPES[kind] for name, kind in parameters.items() if kind in TYPES},
    )


BEGIN = _call("timeline_effect_begin_v2", _ACT | _EFFECT)
FINISH = _call("timeline_effect_finish_v2", _ACT | _FINISH)
LAPSE = _call(
    "timeline_effect_lapse_v1",
    {name: (_ACT | _FINISH)[name] for name in _LAPSE},
)


def of_effect(
    act: Act, session_id: str, effect: NewEffect, policy: Policy, deadline: datetime
) -> dict[str, Any]:
    """Return the parameters of `BEGIN`, but whether it `only_asks`.

    Raises: UnacceptableJson, PayloadTooLarge, ContentTooLarge.
    """
    arguments = effect.arguments_bytes()
    return (
        _of_act(act, session_id)
        | {
            "refused": sorted(policy.refused),
            "suspends": policy.suspends,
            "id": new_id("eff", now=act.now),
            "key": effect.key,
            "tool": effect.tool,
            "call_digest": call_digest(act.project, effect.tool, effect.arguments),
            "call_id": effect.call_id,
            "class": effect.effect_class,
            "arguments": arguments if len(arguments) <= MOST_KEPT else None,
            "arguments_size": len(arguments),
            "undo": effect.undo_bytes(),
            "undo_until": effect.undo_until,
            "takes_key": effect.takes_provider_key,
            "number": effect.number,
            "deadline": deadline,
            "event_id": new_id("trace", now=act.now),
            "cache_scope": effect.cache.scope if effect.cache else None,
        }
        | of_source(None)
    )


def of_source(source: Source | None) -> dict[str, Any]:
    """Return the parameters of `BEGIN` that say which result answers, if one does."""
    return {
        "source_session": source and source.session_id,
        "source_effect": source and source.effect_id,
        "source_number": source.version if source else None,
        "source_at": source and source.made_at,
        "result": source.result if source else None,
        "reference": source and source.result_reference,
        "result_digest": source and source.result_digest,
        "external_id": source and source.external_id,
    }


def of_finish(
    act: Act, session_id: str, effect_id: str, finish: Finish, **others: Any
) -> dict[str, Any]:
    """Return the parameters of `FINISH`; `others` are what is not said in `finish`.

    Raises: UnacceptableJson, ContentTooLarge.
    """
    return _of_act(act, session_id) | {
        "effect": effect_id,
        "status": finish.status,
        "result": finish.result_bytes(),
        "reference": finish.result_reference,
        "result_digest": finish.result_digest,
        "external_id": finish.external_id,
        "digest": finish.digest(act.project),
        # Behind the event of the finish itself.
        "escalation_id": new_id("trace", now=act.now),
        **others,
    }


def run(call: sql.PreparedQuery, parameters: Mapping[str, Any]) -> Any:
    """Call a function; return its row."""
    rows: Sequence[Any] = sql.run_prepared(call, dict(parameters))
    return rows[0]


def _of_act(act: Act, session_id: str) -> dict[str, Any]:
    return {
        "session": session_id,
        "project": act.project_id,
        "now": act.now,
        "api_key": act.api_key_id,
        "request_id": act.request.id,
        "actor_kind": act.actor.kind.value,
        "actor_id": act.actor.id,
        "actor_label": act.actor.label,
    }
