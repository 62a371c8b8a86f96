-- Store the versions of one act on a keyed document, each with its body, its event and
-- its record. The caller holds the document's lock and has written what follows from
-- them (entries, heads, the tally); the chain of records is locked last.
CREATE FUNCTION timeline_keyed_store_v1(
    _session varchar, _act timeline_keyed_act_v1, _head timeline_version,
    _items timeline_keyed_item_v1[], _created_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _item timeline_keyed_item_v1;
    _number bigint := _head.number;
    _chain bytea := _head.chain;
    _count integer := cardinality(_items);
BEGIN
    FOREACH _item IN ARRAY _items LOOP
        _number := _number + 1;
        _chain := sha256('\x01'::bytea || _chain || int8send(_number) || _item.leaf);
        INSERT INTO timeline_version (
            session_id, number, op, restored_number, parent_number, body_number,
            actor_kind, actor_id, actor_label, reasoning, trace_id, size, flags, hold,
            changes, change_count, changes_truncated, request_key, request_digest,
            first_number, salt, reasoning_digest, step_digest, commitment, leaf, chain,
            requested_at, created_at)
        VALUES (
            _session, _number, _item.op, _item.restored_number, _number - 1,
            _number, _act.actor_kind, _act.actor_id, _act.actor_label, _act.reasoning,
            _item.trace_id, _item.size, '[]', _head.hold, '[]', 0, false,
            _item.request_key, _act.digest,
            CASE WHEN _count > 1 AND _number = _head.number + _count
                 THEN _head.number + 1 END,
            _item.salt, _item.reasoning_digest, _item.step_digest, _item.commitment,
            _item.leaf, _chain, _act.now, _created_at);
        INSERT INTO timeline_body (
            session_id, number, base_number, depth, codec, salt, data, size)
        VALUES (
            _session, _number, _item.base_number, _item.depth, _item.codec,
            _item.body_salt, _item.data, _item.body_size);
        IF _item.event_action IS NOT NULL THEN
            INSERT INTO audit_event (
                stream_id, id, project_id, action, resource_type, resource_id, number,
                actor_kind, actor_id, actor_label, details, request_id, created_at)
            VALUES (
                _session, _item.event_id, _act.project_id, _item.event_action,
                _item.resource_type, _act.agent_id, _number, _act.actor_kind,
                _act.actor_id, _act.actor_label, _item.details, _act.request_id,
                _created_at);
            INSERT INTO audit_outbox (stream_id, event_id, at)
            VALUES (_session, _item.event_id, _created_at);
        END IF;
    END LOOP;

    UPDATE timeline_session s SET head_number = _number, updated_at = _created_at
     WHERE s.id = _session;

    _number := _head.number;
    FOREACH _item IN ARRAY _items LOOP
        _number := _number + 1;
        PERFORM audit_append_record_v1(
            _act.stream_id::varchar, _act.project_id::varchar,
            _item.event_id::varchar, _item.action, _item.resource_type,
            _item.resource_id, _item.record_salt, _item.resource_digest, _item.result,
            _item.rule, _number, _act.actor_kind, _act.actor_id, _act.actor_label,
            _item.details, _item.facts, _act.now);
    END LOOP;
END
$$;
