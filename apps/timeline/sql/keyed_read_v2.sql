-- Read one key of a keyed document for the holder of an API key and, where the config
-- stands that is committed to by `_config`, record that in the stream. One act, so that
-- a read waits for one round trip, and for no disk: a crash can lose its record.
--
-- The body `_seen` the caller has: if that one stands, neither it nor its commitment is
-- read again.
--
-- It is the ordinary case alone: no `number` for a key that is absent, a body that
-- builds on another one or is larger than `_largest`, an API key that opens no longer.
-- Then nothing is recorded. Neither the API key's project nor the document's changes;
-- the caller knows that they are one.
CREATE FUNCTION timeline_keyed_read_v2(
    _session varchar, _key text, _largest bigint, _seen bigint, _config bytea,
    _api_key text, _stream varchar, _project varchar, _event_id varchar, _action text,
    _resource_type text, _resource_id text, _salt bytea, _resource_digest bytea,
    _result text, _rule text, _actor_kind text, _actor_id text, _actor_label text,
    _details jsonb, _facts bytea, _now timestamptz,
    OUT number bigint, OUT ordinal bigint, OUT body_number bigint, OUT size bigint,
    OUT created_at timestamptz, OUT updated_at timestamptz, OUT expires_at timestamptz,
    OUT commitment bytea, OUT codec smallint, OUT data bytea, OUT body_size bigint,
    OUT salt bytea, OUT config bytea, OUT is_recorded boolean
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT h.number, h.ordinal, h.body_number, h.size, h.created_at, h.updated_at,
           h.expires_at, coalesce(s.commitment, ''::bytea)
      INTO number, ordinal, body_number, size, created_at, updated_at, expires_at,
           config
      FROM timeline_keyhead h
      JOIN accounts_apikey k ON k.id = _api_key
      LEFT JOIN timeline_keyhead c ON c.session_id = _session AND c.key = ''
      LEFT JOIN timeline_version s ON s.session_id = _session AND s.number = c.body_number
     WHERE h.session_id = _session AND h.key = _key AND h.key <> ''
       AND (h.expires_at IS NULL OR h.expires_at > _now)
       AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > _now);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF body_number IS DISTINCT FROM _seen THEN
        -- By a statement of its own: a body and its version never change.
        SELECT v.commitment, b.codec, b.data, b.size, b.salt
          INTO commitment, codec, data, body_size, salt
          FROM timeline_version v
          JOIN timeline_body b ON b.session_id = _session
           AND b.number = timeline_keyed_read_v2.body_number
         WHERE v.session_id = _session
           AND v.number = timeline_keyed_read_v2.body_number
           AND b.base_number IS NULL AND b.size <= _largest;
        IF NOT FOUND THEN
            number := NULL;
            RETURN;
        END IF;
    END IF;
    is_recorded := config = _config;
    IF is_recorded THEN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM audit_append_record_v1(
            _stream, _project, _event_id, _action, _resource_type, _resource_id, _salt,
            _resource_digest, _result, _rule, NULL, _actor_kind, _actor_id,
            _actor_label, _details, _facts, _now);
    END IF;
END
$$;
