-- Write one entry of a keyed document, as timeline_keyed_write_v1 does with a list of
-- them, where all about it is as usual: in half its time, for it is flat.
--
-- It is the ordinary case alone. No `new_number`, and nothing is stored: where there is no
-- such document here, the API key opens no longer, the agent may not be written to, the
-- document is held, the act is the head's own sent again, the key is not as it is
-- expected to be or would be one too many, and where another config stands than the one
-- that is committed to by `_config` (empty: none), or another floor of the project than
-- `_floor`. The caller then finds out by timeline_keyed_write_v1 what it is.
CREATE FUNCTION timeline_keyed_write_one_v1(
    _session varchar, _project varchar, _agent varchar, _stream varchar,
    _now timestamptz, _api_key text, _digest bytea, _actor_kind text, _actor_id text,
    _actor_label text, _reasoning text, _key text, _size bigint,
    _expires_at timestamptz, _expected bigint, _config bytea, _floor text, _most bigint,
    _trace_id text, _salt bytea, _reasoning_digest bytea, _step_digest bytea,
    _commitment bytea, _leaf bytea, _codec bigint, _body_salt bytea, _body_size bigint,
    _data bytea, _action text, _resource_type text, _record_salt bytea,
    _resource_digest bytea, _result text, _details jsonb, _facts bytea,
    OUT new_number bigint, OUT new_at timestamptz, OUT new_ordinal bigint
) LANGUAGE plpgsql AS $$
DECLARE
    _at record;
    _is_live boolean;
BEGIN
    PERFORM 1 FROM timeline_session s
      WHERE s.id = _session AND s.project_id = _project AND s.kind = 'keyed'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    -- By a statement of its own: whoever waited for the lock must see what was written
    -- and answered meanwhile.
    SELECT v.number, v.chain, v.hold, v.created_at,
           v.number > 0 AND v.request_key IS NULL AND v.request_digest = _digest
             AND v.actor_id = _actor_id AND v.actor_kind = _actor_kind
             AND v.requested_at > _now - interval '5 minutes' AS is_again,
           h.key IS NOT NULL AS is_known, h.ordinal, h.size, h.expires_at,
           t.keys, t.bytes
      INTO _at
      FROM (SELECT n.* FROM timeline_version n
             WHERE n.session_id = _session ORDER BY n.number DESC LIMIT 1) v
      JOIN timeline_tally t ON t.session_id = _session
      LEFT JOIN timeline_keyhead h ON h.session_id = _session AND h.key = _key;
    IF NOT FOUND OR _at.is_again OR _at.hold <> 'open' OR _key = '' THEN
        RETURN;
    END IF;
    PERFORM 1
       FROM accounts_apikey k
       JOIN accounts_project p ON p.id = k.project_id AND p.floor = _floor
       JOIN agents_agent a ON a.id = _agent AND a.status = 'active'
      WHERE k.id = _api_key AND k.project_id = _project
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > _now);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF _config <> coalesce(
        (SELECT v.commitment FROM timeline_keyhead h
           JOIN timeline_version v ON v.session_id = _session AND v.number = h.body_number
          WHERE h.session_id = _session AND h.key = ''), ''::bytea)
    THEN
        RETURN;
    END IF;

    new_at := greatest(_at.created_at, _now);
    _is_live := _at.is_known AND (_at.expires_at IS NULL OR _at.expires_at > new_at);
    IF _expected <> (CASE WHEN _is_live THEN _at.ordinal ELSE 0 END)
       OR (NOT _is_live AND _at.keys >= _most)
    THEN
        RETURN;
    END IF;

    new_number := _at.number + 1;
    new_ordinal := _at.ordinal + 1;
    IF NOT _at.is_known THEN
        SELECT e.ordinal + 1 INTO new_ordinal FROM timeline_entry e
         WHERE e.session_id = _session AND e.key = _key ORDER BY e.number DESC LIMIT 1;
        new_ordinal := coalesce(new_ordinal, 1);
    END IF;
    INSERT INTO timeline_entry (
        session_id, key, number, ordinal, body_number, size, expires_at, cause)
    VALUES (
        _session, _key, new_number, new_ordinal, new_number, _size, _expires_at, 'set');
    INSERT INTO timeline_keyhead AS h (
        session_id, key, number, ordinal, body_number, size, created_at, updated_at,
        expires_at)
    VALUES (
        _session, _key, new_number, new_ordinal, new_number, _size, new_at, new_at,
        _expires_at)
        ON CONFLICT (session_id, key) DO UPDATE
       SET number = excluded.number, ordinal = excluded.ordinal,
           body_number = excluded.body_number, size = excluded.size,
           created_at = CASE WHEN _is_live THEN h.created_at
                             ELSE excluded.created_at END,
           updated_at = excluded.updated_at, expires_at = excluded.expires_at;
    UPDATE timeline_tally t
       SET keys = _at.keys + (NOT _at.is_known)::int,
           bytes = _at.bytes + _size - coalesce(_at.size, 0)
     WHERE t.session_id = _session;
    INSERT INTO timeline_version (
        session_id, number, op, parent_number, body_number, actor_kind, actor_id,
        actor_label, reasoning, trace_id, size, flags, hold, changes, change_count,
        changes_truncated, request_digest, salt, reasoning_digest, step_digest,
        commitment, leaf, chain, requested_at, created_at)
    VALUES (
        _session, new_number, 'set', _at.number, new_number, _actor_kind, _actor_id,
        _actor_label, _reasoning, _trace_id, _size, '[]', 'open', '[]', 0, false,
        _digest, _salt, _reasoning_digest, _step_digest, _commitment, _leaf,
        sha256('\x01'::bytea || _at.chain || int8send(new_number) || _leaf),
        _now, new_at);
    INSERT INTO timeline_body (session_id, number, depth, codec, salt, data, size)
    VALUES (_session, new_number, 0, _codec, _body_salt, _data, _body_size);
    UPDATE timeline_session s SET head_number = new_number, updated_at = new_at
     WHERE s.id = _session;
    PERFORM audit_append_record_v1(
        _stream, _project, _trace_id::varchar, _action, _resource_type, _key,
        _record_salt, _resource_digest, _result, NULL, new_number, _actor_kind,
        _actor_id, _actor_label, _details, _facts, _now);
END
$$;
