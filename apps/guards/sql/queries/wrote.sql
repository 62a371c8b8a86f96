SELECT s.id
  FROM audit_event e
  JOIN timeline_session s ON s.id = e.stream_id
 WHERE e.project_id = %(project)s AND e.id >= %(first)s
   AND e.action IN ('session.created', 'session.forked', 'version.created', 'turn.added')
   AND s.agent_id = %(agent)s AND (%(any)s::boolean OR s.status = 'active')
 GROUP BY s.id LIMIT %(limit)s
