-- A turn that made a version has its key on both; the turn says more.
SELECT k.number, k.turn_number, k.request_digest, k.first_number
  FROM timeline_session s
  LEFT JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (
       SELECT number, NULL::bigint AS turn_number, request_digest, first_number
         FROM timeline_version WHERE session_id = %(session)s AND request_key = %(key)s
        UNION ALL
       SELECT head_number, turn_number, request_digest, NULL
         FROM timeline_turn WHERE session_id = %(session)s AND request_key = %(key)s
       ) k ON true
 WHERE s.id = %(session)s AND s.project_id = %(project)s
   AND s.kind = %(kind)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
 ORDER BY k.turn_number LIMIT 1
