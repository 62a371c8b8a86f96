-- What became of the sessions since they were collected.
SELECT count(*) AS there,
       count(*) FILTER (WHERE s.head_number > m.head_number) AS moved,
       count(*) FILTER (WHERE s.rollback_count > 0) AS rolled_back,
       min(s.created_at) AS began_first
  FROM incidents_member m
  JOIN timeline_session s ON s.id = m.session_id
 WHERE m.incident_id = %(incident)s AND m.removed_at IS NULL
   AND s.status <> 'deleted'
   AND (%(agents)s::text[] IS NULL OR m.agent_id = ANY (
        ARRAY(SELECT a.id FROM agents_agent a
               WHERE a.external_id = ANY (%(agents)s::text[]))))
 LIMIT 1
