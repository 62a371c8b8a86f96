WITH RECURSIVE names (name) AS (
    SELECT (SELECT s.user_id FROM timeline_session s
             WHERE s.project_id = %(project)s AND s.user_id ~>=~ %(first)s::text
               AND s.user_id ~<~ %(end)s::text
             ORDER BY s.user_id USING ~<~ LIMIT 1)
    UNION ALL
    SELECT (SELECT s.user_id FROM timeline_session s
             WHERE s.project_id = %(project)s AND s.user_id ~>~ names.name
               AND s.user_id ~<~ %(end)s::text
             ORDER BY s.user_id USING ~<~ LIMIT 1)
      FROM names WHERE names.name IS NOT NULL)
SELECT name FROM names WHERE name IS NOT NULL LIMIT %(most)s
