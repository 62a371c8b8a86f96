-- Begin a keyed document with its version 0, which holds nothing. Its id follows from
-- whose it is, so two that begin it at once make one.
CREATE FUNCTION timeline_keyed_begin_v1(
    _session varchar, _act timeline_keyed_act_v1, _item timeline_keyed_item_v1
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO timeline_session (
        id, project_id, agent_id, kind, created_at, metadata, metadata_index, status,
        head_number, updated_at, turn_count, rollback_count, facets)
    VALUES (
        _session, _act.project_id, _act.agent_id, 'keyed', _act.now, '{}', '{}',
        'active', 0, _act.now, 0, 0, '{}')
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO timeline_version (
        session_id, number, op, body_number, actor_kind, actor_id, actor_label,
        trace_id, size, flags, hold, changes, change_count, changes_truncated,
        request_digest, salt, reasoning_digest, step_digest, commitment, leaf, chain,
        requested_at, created_at)
    VALUES (
        _session, 0, _item.op, 0, _act.actor_kind, _act.actor_id,
        _act.actor_label, _item.trace_id, 0, '[]', 'open', '[]', 0, false, _act.digest,
        _item.salt, _item.reasoning_digest, _item.step_digest, _item.commitment,
        _item.leaf,
        sha256('\x01'::bytea || decode(repeat('00', 32), 'hex') || int8send(0::bigint)
               || _item.leaf),
        _act.now, _act.now);
    INSERT INTO timeline_body (
        session_id, number, depth, codec, salt, data, size)
    VALUES (
        _session, 0, 0, _item.codec, _item.body_salt, _item.data,
        _item.body_size);
    INSERT INTO timeline_tally (session_id, keys, bytes, config_ordinal)
    VALUES (_session, 0, 0, 0);
    RETURN true;
END
$$;
