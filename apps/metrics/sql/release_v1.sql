-- Which release an agent wrote with up to a version: that of its newest one. What people
-- and the system did since tells none, and neither does what shows no other state.
CREATE FUNCTION metrics_release_v1(_session varchar, _number bigint)
RETURNS text LANGUAGE sql STABLE AS $$
SELECT nullif(v.release, '')
  FROM timeline_version v
 WHERE v.session_id = _session AND v.number <= _number AND v.actor_kind = 'key'
   AND v.op NOT IN ('pause', 'resume', 'wait', 'decide', 'close', 'delete')
 ORDER BY v.number DESC LIMIT 1
$$;
