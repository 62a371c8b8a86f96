"""The calls of the ledger's SQL functions: their parameters, by name and type.

Parameters are typed and binary, and a null has the type of its parameter, so that one
plan serves every write.
"""

from __future__ import annotations

from collections.abc import Mapping

from apps.core import sql
from apps.core.database import values

# PostgreSQL finds the type of a text by itself, whether it is null or not.
TYPES = {
    "bigint": values.NUMBER,
    "boolean": values.BOOL,
    "bytea": values.BYTES,
    "timestamptz": values.MOMENT,
}
ACT = {
    "session": "varchar",
    "project": "varchar",
    "now": "timestamptz",
    "key": "text",
    "digest": "bytea",
    "request_id": "text",
    "actor_kind": "text",
    "actor_id": "text",
    "actor_label": "text",
}
COMMAND = ACT | {
    "expected": "bigint",
    "chain": "bytea",
    "api_key": "varchar",
    "refused": "text[]",
    "suspends": "boolean",
    "kind": "varchar",
    "fence": "bigint",
}
VERSION = {
    "reasoning": "text",
    "op": "text",
    "hold": "text",
    "restored_number": "bigint",
    "undo_of": "bigint",
    "reason_code": "text",
    "external_id": "text",
    "trace_id": "text",
    "step_number": "bigint",
    "step_parent_id": "text",
    "objective_status": "text",
    "schema_version": "text",
    "release": "text",
    "model": "text",
    "size": "bigint",
    "flags": "jsonb",
    "changes": "jsonb",
    "change_count": "bigint",
    "changes_truncated": "boolean",
    "version_key": "text",
    "first_number": "bigint",
    "salt": "bytea",
    "reasoning_digest": "bytea",
    "step_digest": "bytea",
    "commitment": "bytea",
    "leaf": "bytea",
    "body_number": "bigint",
    "base_number": "bigint",
    "depth": "bigint",
    "codec": "bigint",
    "body_salt": "bytea",
    "body_size": "bigint",
    "data": "bytea",
    "waits": "boolean",
    "event_id": "text",
    "action": "text",
    "resource_type": "text",
    "details": "jsonb",
}
# Of a version that was merged; null in all others, and in each of a batch.
MERGED = {
    "source_session_id": "varchar",
    "source_number": "bigint",
    "source_digest": "bytea",
    "source_opaque": "boolean",
}
TURN = {
    "turn_id": "text",
    "turn_trace_id": "text",
    "before_number": "bigint",
    "state_after_sent": "boolean",
    "input_type": "text",
    "output_type": "text",
    "turn_codec": "bigint",
    "turn_size": "bigint",
    "turn_data": "bytea",
    "turn_text": "text",
    "turn_salt": "bytea",
    "turn_reasoning_digest": "bytea",
    "turn_commitment": "bytea",
    "turn_leaf": "bytea",
    "usage": "jsonb",
    "watches": "boolean",
    "turn_event_id": "text",
    "turn_details": "jsonb",
}
INDEX = {
    "path_keys": "bytea[]",
    "roles": "smallint[]",
    "kinds": "smallint[]",
    "value_keys": "bytea[]",
    "term_keys": "bytea[]",
    "term_values": "bytea[]",
    "facets": "jsonb",
}
# JSON comes as text, and the function casts each.
EACH = {
    f"each_{name}": f"{'text' if kind == 'jsonb' else kind}[]"
    for name, kind in VERSION.items()
}
SESSION = {
    "agent": "varchar",
    "user_id": "text",
    "session_name": "text",
    "title": "text",
    "origin_session": "varchar",
    "origin_number": "bigint",
    "ttl_seconds": "bigint",
    "expires_at": "timestamptz",
    "metadata": "bytea",
    "metadata_index": "jsonb",
    "previous_chain": "bytea",
}
# What no first version has.
LATER = (
    *("restored_number", "undo_of", "flags", "version_key", "first_number"),
    *("body_number", "base_number", "depth"),
)
FIRST = {name: kind for name, kind in VERSION.items() if name not in LATER}


def _call(
    function: str, parameters: Mapping[str, str], columns: str = "*"
) -> sql.PreparedQuery:
    given = ", ".join(
        f"_{name} => %({name})s::{kind}" for name, kind in parameters.items()
    )
    return sql.PreparedQuery(
        sql.of_session(f"SELECT {columns} FROM {function}({given})"),
        {name: TYPES[kind] for name, kind in parameters.items() if kind in TYPES},
    )


APPEND = _call(
    "timeline_append_v10",
    COMMAND | VERSION | MERGED | TURN | INDEX,
    "*, NULL::bigint AS first_number",
)
APPEND_BATCH = _call(
    "timeline_append_batch_v10", COMMAND | EACH | INDEX | {"items": "integer[]"}
)
CREATE_SESSION = _call(
    "timeline_create_session_v8",
    ACT | {"kind": "varchar"} | SESSION | FIRST | INDEX,
)
