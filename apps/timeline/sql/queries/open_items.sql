SELECT o.session_id, o.number, o.at, a.external_id AS agent, o.user_id, o.status,
       v.flags,
       CASE WHEN h.objective_status LIKE 'WAITING\_FOR%%' THEN h.objective_status
            WHEN h.op IN ('pause', 'resume')
             AND v.objective_status LIKE 'WAITING\_FOR%%' THEN v.objective_status
       END AS objective_status
  FROM (SELECT o.session_id, o.number, o.at, o.agent_id, s.user_id, s.status,
               s.head_number
          FROM timeline_open o
          JOIN timeline_session s ON s.id = o.session_id AND s.kind = 'session'
         WHERE o.project_id = %(project)s AND o.kind = %(kind)s
           AND (o.at, o.session_id, o.number)
             < (coalesce(%(at)s::timestamptz, 'infinity'),
                coalesce(%(session)s::varchar, '{{last_id}}'),
                coalesce(%(number)s::bigint, {{last_number}}))
           AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
         ORDER BY o.at DESC, o.session_id DESC, o.number DESC LIMIT %(limit)s) AS o
  JOIN timeline_version v ON v.session_id = o.session_id AND v.number = o.number
  JOIN timeline_version h ON h.session_id = o.session_id AND h.number = o.head_number
  JOIN agents_agent a ON a.id = o.agent_id
 ORDER BY o.at DESC, o.session_id DESC, o.number DESC
