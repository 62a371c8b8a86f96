SELECT e.id, e.stream_id AS session_id, e.number, e.created_at, v.restored_number,
       coalesce(v.reason_code, '') AS reason_code, v.reasoning, e.actor_label,
       a.id AS agent_id, a.external_id AS agent, s.user_id,
       left(coalesce(nullif(bad.release, ''), v.release, ''), 200) AS release,
       metrics_set_aside_v1(v.session_id, v.number - 1, v.restored_number) AS depth,
       extract(epoch FROM e.created_at - bad.created_at)::float8 AS waited
  FROM audit_event e
  JOIN timeline_session s ON s.id = e.stream_id
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN timeline_version v
    ON v.session_id = e.stream_id AND v.number = e.number AND v.undo_of IS NULL
  JOIN timeline_version bad
    ON bad.session_id = v.session_id AND bad.number = v.restored_number + 1
 WHERE e.project_id = %(project)s AND e.action = 'session.rolled_back'
   AND e.id >= %(first)s AND e.id < %(last)s
   AND e.created_at >= %(since)s AND e.created_at < %(until)s
   AND {{before}}
   AND (%(agent)s::text IS NULL OR s.agent_id = %(agent)s)
   AND (%(reason)s::text IS NULL OR coalesce(v.reason_code, '') = %(reason)s)
   AND (%(release)s::text IS NULL
        OR left(coalesce(nullif(bad.release, ''), v.release, ''), 200) = %(release)s)
   AND (%(model)s::text IS NULL
        OR left(coalesce(nullif(bad.model, ''), v.model, ''), 200) = %(model)s)
   AND (%(actor)s::text IS NULL
        OR left(e.actor_kind || ':' || e.actor_label, 200) = %(actor)s)
 ORDER BY e.id DESC LIMIT %(limit)s
