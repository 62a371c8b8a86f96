-- One walk over the sessions of an incident, counted in several ways.
WITH seen AS (
    SELECT a.external_id AS agent, m.release, m.model, m.verdict, m.bad_release AS bad,
           m.bad_number, m.bad_at, m.removed_at
      FROM incidents_member m
      JOIN agents_agent a ON a.id = m.agent_id
     WHERE m.incident_id = %(incident)s
       AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
), counted AS (
    SELECT CASE grouping(agent, release, model, verdict, bad)
               WHEN 15 THEN 'agent' WHEN 23 THEN 'release' WHEN 27 THEN 'model'
               WHEN 29 THEN 'verdict' WHEN 28 THEN 'bad' ELSE 'all'
           END AS kind,
           CASE grouping(agent, release, model, verdict, bad)
               WHEN 15 THEN agent WHEN 23 THEN release WHEN 27 THEN model
               WHEN 29 THEN verdict WHEN 28 THEN bad
           END AS name,
           verdict,
           count(*) FILTER (WHERE removed_at IS NULL) AS n,
           count(removed_at) AS removed,
           min(bad_at) FILTER (WHERE removed_at IS NULL) AS since,
           count(*) FILTER (WHERE removed_at IS NULL AND verdict = 'bad'
                                  AND bad_number IS NULL) AS unplaced
      FROM seen
     GROUP BY GROUPING SETS
           ((agent), (release), (model), (verdict), (verdict, bad), ())
), ranked AS (
    SELECT kind, name, n, removed, since, unplaced,
           row_number() OVER (PARTITION BY kind ORDER BY n DESC, name) AS place
      FROM counted
     WHERE kind = 'all' OR n > 0 AND (kind <> 'bad' OR verdict = 'bad')
)
SELECT kind, name, n, removed, since, unplaced FROM ranked
 WHERE place <= %(most)s
 ORDER BY kind, place
