SELECT a.id, counted.sessions, newest.last_seen, newest.rollbacks,
       coalesce(newest.releases, '{}') AS releases,
       coalesce(newest.models, '{}') AS models
  FROM unnest(%(agents)s::varchar[]) AS a (id)
 CROSS JOIN LATERAL (
       SELECT count(*) AS sessions FROM (
              SELECT 1 FROM timeline_session s
               WHERE s.project_id = %(project)s AND s.agent_id = a.id
                 AND s.kind = 'session'
               LIMIT %(counted)s) AS first_ones) AS counted
 CROSS JOIN LATERAL (
       SELECT max(n.updated_at) AS last_seen,
              coalesce(sum(n.rollback_count), 0)::bigint AS rollbacks,
              array_agg(DISTINCT v.release) FILTER (WHERE v.release IS NOT NULL)
                AS releases,
              array_agg(DISTINCT v.model) FILTER (WHERE v.model IS NOT NULL) AS models
         FROM (SELECT s.id, s.head_number, s.updated_at, s.rollback_count
                 FROM timeline_session s
                WHERE s.project_id = %(project)s AND s.agent_id = a.id
                  AND s.kind = 'session'
                ORDER BY s.id DESC LIMIT %(newest)s) AS n
         JOIN timeline_version v
           ON v.session_id = n.id AND v.number = n.head_number) AS newest
