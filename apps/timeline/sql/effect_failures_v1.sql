-- Count the failed attempts at a tool in a session since it last succeeded there.
CREATE FUNCTION timeline_effect_failures_v1(
    _session varchar, _tool text
) RETURNS bigint LANGUAGE sql STABLE AS $$
SELECT count(*) FILTER (WHERE t.status = 'failed' AND t.created_at > coalesce(
           (SELECT max(d.created_at) FROM timeline_effectstep d
              JOIN timeline_effect f ON f.session_id = _session AND f.id = d.effect_id
             WHERE d.session_id = _session AND d.status = 'done' AND f.tool = _tool),
           '-infinity'))
  FROM timeline_effect e
  JOIN timeline_effectstep t ON t.session_id = _session AND t.effect_id = e.id
 WHERE e.session_id = _session AND e.tool = _tool
$$;
