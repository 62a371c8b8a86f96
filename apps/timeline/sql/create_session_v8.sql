-- Create a session with its version 0, new or forked. The id is fixed by the caller
-- beforehand, so a retry meets its own session: `exists` instead of `stored`. What a
-- fork's chain goes on from stands in its own row: its origin may be removed.
--
-- A version that is forked stays, so a fork and a removal must not miss each other: the
-- origin's row is shared until the fork is there, and `gone` says that a removal took
-- the version, or emptied it, after it was read.
CREATE FUNCTION timeline_create_session_v8(
    _session varchar, _project varchar, _kind varchar, _agent varchar, _user_id text,
    _session_name text, _title text,
    _origin_session varchar, _origin_number bigint,
    _now timestamptz, _ttl_seconds bigint, _expires_at timestamptz,
    _metadata bytea, _metadata_index jsonb, _previous_chain bytea,
    -- The request, and who wrote it.
    _key text, _digest bytea, _request_id text,
    _actor_kind text, _actor_id text, _actor_label text, _reasoning text,
    -- The version.
    _op text, _hold text, _reason_code text, _external_id text, _trace_id text,
    _step_number bigint, _step_parent_id text, _objective_status text,
    _schema_version text, _release text, _model text, _size bigint, _changes jsonb,
    _change_count bigint, _changes_truncated boolean, _salt bytea,
    _reasoning_digest bytea, _step_digest bytea, _commitment bytea, _leaf bytea,
    -- Its body.
    _codec bigint, _body_salt bytea, _body_size bigint, _data bytea,
    -- What is derived from them, and the event.
    _path_keys bytea[], _roles smallint[], _kinds smallint[], _value_keys bytea[],
    _term_keys bytea[], _term_values bytea[], _facets jsonb, _waits boolean,
    _event_id text, _action text, _resource_type text, _details jsonb,
    OUT outcome text
) LANGUAGE plpgsql AS $$
BEGIN
    IF _origin_session IS NOT NULL THEN
        PERFORM FROM timeline_session s WHERE s.id = _origin_session FOR SHARE;
        PERFORM FROM timeline_version v
           JOIN timeline_body b
             ON b.session_id = _origin_session AND b.number = v.body_number
          WHERE v.session_id = _origin_session AND v.number = _origin_number
            AND b.codec <> 0;
        IF NOT FOUND THEN
            outcome := 'gone';
            RETURN;
        END IF;
    END IF;

    INSERT INTO timeline_session (
        id, project_id, agent_id, kind, user_id, external_id, title, origin_session_id,
        origin_number, origin_chain, created_at, ttl_seconds, expires_at, metadata,
        metadata_index, status, head_number, updated_at, turn_count, rollback_count,
        facets)
    VALUES (
        _session, _project, nullif(_agent, ''), _kind, _user_id, _session_name, _title,
        _origin_session, _origin_number,
        CASE WHEN _origin_session IS NOT NULL THEN _previous_chain END, _now,
        _ttl_seconds, _expires_at, _metadata, _metadata_index, 'active', 0, _now, 0, 0, _facets)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        outcome := 'exists';
        RETURN;
    END IF;

    INSERT INTO timeline_version (
        session_id, number, op, reason_code, body_number, external_id, actor_kind,
        actor_id, actor_label, reasoning, trace_id, step_number, step_parent_id,
        objective_status, schema_version, release, model, size, flags, hold, changes,
        change_count, changes_truncated, request_key, request_digest, salt,
        reasoning_digest, step_digest, commitment, leaf, chain, requested_at,
        created_at)
    VALUES (
        _session, 0, _op, _reason_code, 0, _external_id, _actor_kind,
        _actor_id, _actor_label, _reasoning, _trace_id, _step_number, _step_parent_id,
        _objective_status, _schema_version, _release, _model, _size, '[]', _hold,
        _changes, _change_count, _changes_truncated, _key, _digest, _salt,
        _reasoning_digest, _step_digest, _commitment, _leaf,
        sha256('\x01'::bytea || _previous_chain || int8send(0) || _leaf), _now, _now);

    INSERT INTO timeline_body (
        session_id, number, base_number, depth, codec, salt, data, size)
    VALUES (_session, 0, NULL, 0, _codec, _body_salt, _data, _body_size);

    INSERT INTO timeline_pending (
        session_id, number, turn_number, first_number, project_id, at, event_ids,
        path_keys, roles, kinds, value_keys, term_keys, term_values)
    VALUES (
        _session, 0, 0, 0, _project, _now, ARRAY[_event_id], _path_keys, _roles, _kinds,
        _value_keys, _term_keys, _term_values);

    IF _waits THEN
        INSERT INTO timeline_open (session_id, kind, number, project_id, agent_id, at)
        VALUES (_session, 'waiting', 0, _project, _agent, _now);
    END IF;

    INSERT INTO audit_event (
        stream_id, id, project_id, action, resource_type, resource_id, number,
        actor_kind, actor_id, actor_label, details, request_id, created_at)
    VALUES (
        _session, _event_id, _project, _action, _resource_type, _session, 0,
        _actor_kind, _actor_id, _actor_label, _details, _request_id, _now);
    outcome := 'stored';
END
$$;
