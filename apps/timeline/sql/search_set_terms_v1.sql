-- Change by what a session is found: paths with their values; a NULL value goes away.
-- The caller holds the session's row lock, or has just made the session.
CREATE FUNCTION timeline_set_terms_v1(
    _session varchar, _keys bytea[], _values bytea[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(_keys) = 0 THEN
        RETURN;
    END IF;
    IF array_position(_values, NULL) IS NOT NULL THEN
        DELETE FROM timeline_term t USING unnest(_keys, _values) n (path_key, value_key)
         WHERE t.session_id = _session AND t.path_key = n.path_key
           AND n.value_key IS NULL;
    END IF;
    FOR _at IN 1 .. cardinality(_keys) LOOP
        CONTINUE WHEN _values[_at] IS NULL;
        INSERT INTO timeline_term AS t (session_id, path_key, value_key)
        VALUES (_session, _keys[_at], _values[_at])
            ON CONFLICT (session_id, path_key)
            DO UPDATE SET value_key = excluded.value_key
         WHERE t.value_key <> excluded.value_key;
    END LOOP;
END
$$;
