"""The calls of the SQL functions of keyed documents: parameters, named and typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.agents.acts import Act
from apps.core import sql
from apps.timeline.ledger.documents.values import Document
from apps.timeline.ledger.encoding.calls import TYPES
from apps.timeline.ledger.encoding.writes import sealer

# As the types `timeline_keyed_act_v1` and `timeline_keyed_item_v1` have them.
ACT = {
    "project_id": "text",
    "agent_id": "text",
    "stream_id": "text",
    "now": "timestamptz",
    "api_key": "text",
    "key": "text",
    "digest": "bytea",
    "request_id": "text",
    "actor_kind": "text",
    "actor_id": "text",
    "actor_label": "text",
    "reasoning": "text",
}
ITEM = {
    "op": "text",
    "restored_number": "bigint",
    "size": "bigint",
    "trace_id": "text",
    "request_key": "text",
    "salt": "bytea",
    "reasoning_digest": "bytea",
    "step_digest": "bytea",
    "commitment": "bytea",
    "leaf": "bytea",
    "base_number": "bigint",
    "depth": "bigint",
    "codec": "bigint",
    "body_salt": "bytea",
    "body_size": "bigint",
    "data": "bytea",
    "event_id": "text",
    "action": "text",
    "resource_type": "text",
    "resource_id": "text",
    "record_salt": "bytea",
    "resource_digest": "bytea",
    "result": "text",
    "rule": "text",
    "details": "jsonb",
    "facts": "bytea",
    "event_action": "text",
}


def _given(columns: Mapping[str, str], type_name: str, prefix: str) -> str:
    values = ", ".join(f"%({prefix}{name})s::{kind}" for name, kind in columns.items())
    return f"ROW({values})::{type_name}"


_ACT = (
    "_session => %(session)s::varchar, "
    f"_act => {_given(ACT, 'timeline_keyed_act_v1', 'act_')}"
)
_ITEM = f"_item => {_given(ITEM, 'timeline_keyed_item_v1', '')}"
_ALONE = f"_items => ARRAY[{_given(ITEM, 'timeline_keyed_item_v1', '')}]"
# JSON comes as text, and is cast where the row is made.
_COLUMNS = ", ".join(
    f"u.{name}::jsonb" if kind == "jsonb" else f"u.{name}"
    for name, kind in ITEM.items()
)
# JSON comes as text, and is cast where the row is made.
_LISTS = ", ".join(
    f"%({name})s::{'text' if kind == 'jsonb' else kind}[]"
    for name, kind in ITEM.items()
)
_EACH = (
    f"_items => (SELECT array_agg(ROW({_COLUMNS})::timeline_keyed_item_v1"  # noqa: S608
    f" ORDER BY u.at) FROM unnest({_LISTS}) WITH ORDINALITY u ({', '.join(ITEM)}, at))"
)


def _call(function: str, *given: str, **parameters: str) -> sql.PreparedQuery:
    own = [f"_{name} => %({name})s::{kind}" for name, kind in parameters.items()]
    kinds = {f"act_{name}": kind for name, kind in ACT.items()} | parameters
    if _ITEM in given or _ALONE in given:
        kinds |= ITEM
    asked = ", ".join([*given, *own])
    return sql.PreparedQuery(
        sql.of_session(f"SELECT * FROM {function}({asked})"),  # noqa: S608
        {name: TYPES[kind] for name, kind in kinds.items() if kind in TYPES},
    )


BEGIN = _call("timeline_keyed_begin_v1", _ACT, _ITEM)
_WRITTEN = {
    "keys": "text[]",
    "expires_at": "timestamptz[]",
    "expected": "bigint[]",
    "config": "bigint",
    "most": "bigint",
}
WRITE = _call("timeline_keyed_write_v1", _ACT, _EACH, **_WRITTEN)
# Of one item: what is no list is written in a third of the time.
WRITE_ONE = _call("timeline_keyed_write_v1", _ACT, _ALONE, **_WRITTEN)
REMOVE = _call("timeline_keyed_remove_v1", _ACT, _ITEM, first="text", before="text")
RESTORE = _call(
    "timeline_keyed_restore_v2",
    _ACT,
    _ITEM,
    target="bigint",
    of_config="boolean",
    of_data="boolean",
    first="text",
    before="text",
    seen="bigint",
    expected="bigint",
    most="bigint",
)
EXPIRE = _call("timeline_keyed_expire_v1", _ACT, _ITEM, moment="timestamptz")


def of_act(
    act: Act, document: Document, reasoning: str | None = None
) -> dict[str, Any]:
    """Return the parameters of `_session` and `_act`."""
    return {
        "session": document.id,
        "act_project_id": act.project_id,
        "act_agent_id": document.agent_id,
        "act_stream_id": document.stream_id,
        "act_now": act.now,
        "act_api_key": act.api_key_id,
        "act_key": act.request.key,
        "act_digest": act.request.digest,
        "act_request_id": act.request.id,
        "act_actor_kind": act.actor.kind.value,
        "act_actor_id": act.actor.id,
        "act_actor_label": act.actor.label,
        "act_reasoning": sealed_text(document, reasoning),
    }


def sealed_text(document: Document, text: str | None) -> str | None:
    """Return a text as it is stored with a document: sealed if its project encrypts.

    Raises: KeysUnavailable.
    """
    seals = sealer(document.project, document.id)
    return text if seals is None else seals.text(text)


def of_items(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters of `_items`: a list for each column."""
    return {name: [item[name] for item in items] for name in ITEM}
