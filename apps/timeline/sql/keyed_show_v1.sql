-- Bring the heads of a keyed document, and its tally, up to the entries of one version.
CREATE FUNCTION timeline_keyed_show_v1(
    _session varchar, _number bigint, _at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _keys bigint;
    _bytes bigint;
    _config bigint;
BEGIN
    SELECT count(e.body_number) FILTER (WHERE e.key <> '')
             - count(h.body_number) FILTER (WHERE e.key <> ''),
           coalesce(sum(e.size - coalesce(h.size, 0)) FILTER (WHERE e.key <> ''), 0),
           max(e.ordinal) FILTER (WHERE e.key = '')
      INTO _keys, _bytes, _config
      FROM timeline_entry e
      LEFT JOIN timeline_keyhead h ON h.session_id = _session AND h.key = e.key
     WHERE e.session_id = _session AND e.number = _number;
    DELETE FROM timeline_keyhead h
     USING timeline_entry e
     WHERE h.session_id = _session AND e.session_id = _session AND e.key = h.key
       AND e.number = _number AND e.body_number IS NULL;
    INSERT INTO timeline_keyhead AS h (
        session_id, key, number, ordinal, body_number, size, created_at, updated_at,
        expires_at)
    SELECT _session, e.key, _number, e.ordinal, e.body_number, e.size, _at, _at,
           e.expires_at
      FROM timeline_entry e
     WHERE e.session_id = _session AND e.number = _number AND e.body_number IS NOT NULL
        ON CONFLICT (session_id, key) DO UPDATE
       SET number = excluded.number, ordinal = excluded.ordinal,
           body_number = excluded.body_number, size = excluded.size,
           created_at = CASE WHEN h.expires_at <= _at THEN excluded.created_at
                             ELSE h.created_at END,
           updated_at = excluded.updated_at, expires_at = excluded.expires_at;
    UPDATE timeline_tally t
       SET keys = t.keys + _keys, bytes = t.bytes + _bytes,
           config_ordinal = coalesce(_config, t.config_ordinal)
     WHERE t.session_id = _session;
END
$$;
