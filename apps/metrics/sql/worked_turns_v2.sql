-- Each turn of a time, found as metrics_acts_v4 finds events: which release it is laid
-- to, whether it told of a tool's call, and how long its session took up to it. That is
-- the time since the turn before it, of the first since the session began, so that the
-- turns of a session add up to what the session took up to its last one. Where the turn
-- before it was removed nobody knows: nothing is added.
--
-- The release is what the turn said beside what it used. A turn that said nothing of
-- that is laid to the release of the version that it made, else to that of the agent's
-- version that it found. The empty text where none was told.
CREATE FUNCTION metrics_worked_turns_v2(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    session_id varchar, agent_id varchar, hour timestamptz, release text,
    is_call boolean, lasted_us bigint
) LANGUAGE sql STABLE AS $$
SELECT s.id, s.agent_id, date_trunc('hour', e.created_at, 'UTC'),
       left(coalesce(e.details -> 'usage' ->> 'release', nullif(made.release, ''),
                     metrics_release_v1(
                         e.stream_id, e.number - (t.made_version IS TRUE)::int),
                     ''), 200),
       e.details ? 'tool_name',
       greatest(0, coalesce(extract(epoch FROM e.created_at - CASE
           WHEN (e.details ->> 'turn_number')::bigint = 1 THEN s.created_at
           ELSE before.created_at END), 0) * 1000000)::bigint
  FROM audit_event e
  JOIN timeline_session s ON s.id = e.stream_id
  LEFT JOIN timeline_turn t
    ON t.session_id = e.stream_id
   AND t.turn_number = (e.details ->> 'turn_number')::bigint
  LEFT JOIN timeline_turn before
    ON before.session_id = e.stream_id
   AND before.turn_number = (e.details ->> 'turn_number')::bigint - 1
  LEFT JOIN timeline_version made
    ON t.made_version AND made.session_id = e.stream_id AND made.number = e.number
 WHERE e.project_id = _project AND e.id >= _first AND e.id < _last
   AND e.created_at >= _since AND e.created_at < _until
   AND e.action = 'turn.added'
$$;
