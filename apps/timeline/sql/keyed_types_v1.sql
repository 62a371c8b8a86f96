-- Who writes to a keyed document, under which request, and in which chain of records.
CREATE TYPE timeline_keyed_act_v1 AS (
    project_id text, agent_id text, stream_id text, now timestamptz,
    api_key text, key text, digest bytea, request_id text,
    actor_kind text, actor_id text, actor_label text, reasoning text);
-- One version of a keyed document with its body, its record in the chain and, where
-- `event_action` is not NULL, its event.
CREATE TYPE timeline_keyed_item_v1 AS (
    op text, restored_number bigint, size bigint, trace_id text, request_key text,
    salt bytea, reasoning_digest bytea, step_digest bytea, commitment bytea,
    leaf bytea, base_number bigint, depth bigint, codec bigint, body_salt bytea,
    body_size bigint, data bytea,
    event_id text, action text, resource_type text, resource_id text,
    record_salt bytea, resource_digest bytea, result text, rule text, details jsonb,
    facts bytea, event_action text);
