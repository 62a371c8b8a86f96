WITH chosen AS (
    SELECT s.id,
           coalesce(p.slug, s.project_id) AS project,
           coalesce(a.external_id, '?') AS agent
    FROM timeline_session s
    LEFT JOIN accounts_project p ON p.id = s.project_id
    LEFT JOIN agents_agent a ON a.id = s.agent_id
    WHERE s.kind = 'session'
      AND (%(project_id)s::text IS NULL OR s.project_id = %(project_id)s::text)
), stored AS (
    SELECT b.session_id, count(*) AS bodies, sum(octet_length(b.data)) AS stored,
           count(*) FILTER (WHERE b.codec > {{archived}}) AS archived_bodies,
           sum({{length}}) FILTER (WHERE b.codec > {{archived}}) AS archived
    FROM timeline_body b JOIN chosen ON chosen.id = b.session_id
    GROUP BY b.session_id
), shown AS (
    SELECT v.session_id, count(*) AS versions, sum(b.size) AS shown
    FROM timeline_version v
    JOIN chosen ON chosen.id = v.session_id
    JOIN timeline_body b ON b.session_id = v.session_id AND b.number = v.body_number
    GROUP BY v.session_id
), summed AS (
    SELECT GROUPING(c.project, c.agent, c.id) AS level,
           c.project, c.agent, c.id AS session_id, count(*) AS sessions,
           coalesce(sum(versions), 0)::bigint AS versions,
           coalesce(sum(bodies), 0)::bigint AS bodies,
           coalesce(sum(stored), 0)::bigint AS stored,
           coalesce(sum(archived_bodies), 0)::bigint AS archived_bodies,
           coalesce(sum(archived), 0)::bigint AS archived,
           coalesce(sum(shown), 0)::bigint AS shown
    FROM chosen c
    LEFT JOIN stored ON stored.session_id = c.id
    LEFT JOIN shown ON shown.session_id = c.id
    GROUP BY GROUPING SETS
        ((), (c.project), (c.project, c.agent), (c.project, c.agent, c.id))
), placed AS (
    SELECT *, row_number() OVER (
        PARTITION BY level ORDER BY stored + archived DESC, project, agent, session_id
    ) AS place
    FROM summed
)
SELECT level, project, agent, session_id, sessions, versions, bodies, stored,
       archived_bodies, archived, shown
FROM placed WHERE level > 0 OR place <= %(largest)s
ORDER BY level DESC, place
