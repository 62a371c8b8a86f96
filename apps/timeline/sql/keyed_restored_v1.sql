-- Return what each key that was touched after version `_target` has after a restore of
-- it on head `_head` at `_at`: its body at the target, or none where it was absent or
-- has expired since (`lapsed`); `differs` says whether the head has another one.
-- Used to restore and, later, to verify what was restored.
CREATE FUNCTION timeline_keyed_restored_v1(
    _session varchar, _target bigint, _head bigint, _at timestamptz, _config boolean,
    _data boolean
) RETURNS TABLE (
    key text, ordinal bigint, body_number bigint, size bigint, expires_at timestamptz,
    lapsed boolean, differs boolean
) LANGUAGE sql STABLE AS $$
SELECT t.key, last.ordinal, live.body_number, coalesce(live.size, 0),
       live.expires_at, old.body_number IS NOT NULL AND live.body_number IS NULL,
       live.body_number IS DISTINCT FROM last.body_number
  FROM (SELECT DISTINCT e.key FROM timeline_entry e
         WHERE e.session_id = _session AND e.number > _target AND e.number <= _head
           AND CASE WHEN e.key = '' THEN _config ELSE _data END) t
 CROSS JOIN LATERAL (
       SELECT e.ordinal, e.body_number FROM timeline_entry e
        WHERE e.session_id = _session AND e.key = t.key AND e.number <= _head
        ORDER BY e.number DESC LIMIT 1) last
  LEFT JOIN LATERAL (
       SELECT e.body_number, e.size, e.expires_at FROM timeline_entry e
        WHERE e.session_id = _session AND e.key = t.key AND e.number <= _target
        ORDER BY e.number DESC LIMIT 1) old ON true
  LEFT JOIN LATERAL (
       SELECT old.body_number, old.size, old.expires_at
        WHERE old.expires_at IS NULL OR old.expires_at > _at) live ON true
$$;
