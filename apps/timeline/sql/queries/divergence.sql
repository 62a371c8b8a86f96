WITH RECURSIVE chain AS (
    SELECT s.id AS start, 0 AS depth, s.id, s.origin_session_id, s.origin_number,
           NULL::bigint AS number
      FROM timeline_session s WHERE s.id = ANY (%(sessions)s::varchar[])
    UNION ALL
    SELECT c.start, c.depth + 1, s.id, s.origin_session_id, s.origin_number,
           c.origin_number
      FROM chain c JOIN timeline_session s ON s.id = c.origin_session_id
     WHERE c.depth < %(forks)s)
SELECT c.start, c.id AS session_id, coalesce(c.number, head.number) AS number,
       c.origin_session_id, s.thinned_below,
       s.project_id = %(project)s AND s.kind = 'session'
       AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
       AND (%(over)s OR (s.expires_at IS NULL OR s.expires_at > %(now)s)
                        AND head.hold <> 'deleted') AS is_visible
  FROM chain c
  JOIN timeline_session s ON s.id = c.id
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (SELECT h.number, h.hold FROM timeline_version h
                 WHERE h.session_id = c.id ORDER BY h.number DESC LIMIT 1) head ON true
 ORDER BY c.start, c.depth
