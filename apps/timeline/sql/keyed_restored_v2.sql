-- Return what each key that was touched after version `_target` has after a restore of
-- it on head `_head` at `_at`: as timeline_keyed_restored_v1, or, where `_before` is
-- not NULL, of one step of a restore that goes by steps.
--
-- A step brings back the keys from `_first` to before `_before` that nobody has touched
-- after `_seen`, the head that was confirmed. It goes by the key, the whole by the
-- number: in one statement the plan that is kept for any step would read every key of
-- the document to restore three.
CREATE FUNCTION timeline_keyed_restored_v2(
    _session varchar, _target bigint, _head bigint, _at timestamptz, _config boolean,
    _data boolean, _first text, _before text, _seen bigint
) RETURNS TABLE (
    key text, ordinal bigint, body_number bigint, size bigint, expires_at timestamptz,
    lapsed boolean, differs boolean
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF _before IS NULL THEN
        RETURN QUERY SELECT r.* FROM timeline_keyed_restored_v1(
            _session, _target, _head, _at, _config, _data) r;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT t.key, last.ordinal, live.body_number, coalesce(live.size, 0),
           live.expires_at, old.body_number IS NOT NULL AND live.body_number IS NULL,
           live.body_number IS DISTINCT FROM last.body_number
      FROM (SELECT DISTINCT e.key FROM timeline_entry e
             WHERE e.session_id = _session AND e.key >= _first AND e.key < _before
               AND e.number > _target AND e.number <= _seen
               AND CASE WHEN e.key = '' THEN _config ELSE _data END) t
     CROSS JOIN LATERAL (
           SELECT e.number, e.ordinal, e.body_number FROM timeline_entry e
            WHERE e.session_id = _session AND e.key = t.key AND e.number <= _head
            ORDER BY e.number DESC LIMIT 1) last
      LEFT JOIN LATERAL (
           SELECT e.body_number, e.size, e.expires_at FROM timeline_entry e
            WHERE e.session_id = _session AND e.key = t.key AND e.number <= _target
            ORDER BY e.number DESC LIMIT 1) old ON true
      LEFT JOIN LATERAL (
           SELECT old.body_number, old.size, old.expires_at
            WHERE old.expires_at IS NULL OR old.expires_at > _at) live ON true
     WHERE last.number <= _seen;
END
$$;
