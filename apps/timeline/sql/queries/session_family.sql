WITH RECURSIVE up AS (
    SELECT s.id, s.origin_session_id, 0 AS depth FROM timeline_session s
     WHERE s.id = %(session)s AND s.project_id = %(project)s
    UNION ALL
    SELECT s.id, s.origin_session_id, up.depth + 1
      FROM up JOIN timeline_session s
        ON s.id = up.origin_session_id AND s.project_id = %(project)s
     WHERE up.depth < {{generations}}),
down AS (
    SELECT id, 0 AS depth FROM up
    UNION
    SELECT fork.id, down.depth + 1 FROM down
      CROSS JOIN LATERAL (
           SELECT s.id FROM timeline_session s
            WHERE s.origin_session_id = down.id AND s.project_id = %(project)s
            ORDER BY s.id DESC LIMIT {{family_sessions}}) fork
     WHERE down.depth < {{generations}}),
family AS (SELECT DISTINCT id FROM down)
SELECT s.id AS session_id, s.origin_session_id, s.origin_number,
       origin.head_number AS origin_head, s.head_number, s.status,
       a.external_id AS agent, s.created_at
  FROM family
  JOIN timeline_session s ON s.id = family.id
  JOIN agents_agent a ON a.id = s.agent_id
  LEFT JOIN timeline_session origin ON origin.id = s.origin_session_id
 ORDER BY s.id IN (SELECT id FROM up) DESC, s.id DESC LIMIT {{family_sessions}}
