-- One walk over the sessions of an incident: what is alike is counted together first,
-- and only what is left is counted in several ways.
WITH alike AS (
    SELECT m.agent_id, m.release, m.model, m.verdict, m.bad_release AS bad,
           count(*) FILTER (WHERE m.removed_at IS NULL) AS n,
           count(m.removed_at) AS removed,
           min(m.bad_at) FILTER (WHERE m.removed_at IS NULL) AS since,
           count(*) FILTER (WHERE m.removed_at IS NULL AND m.verdict = 'bad'
                                  AND m.bad_number IS NULL) AS unplaced
      FROM incidents_member m
     WHERE m.incident_id = %(incident)s
     GROUP BY m.agent_id, m.release, m.model, m.verdict, m.bad_release
), seen AS (
    SELECT a.external_id AS agent, k.release, k.model, k.verdict, k.bad, k.n,
           k.removed, k.since, k.unplaced
      FROM alike k JOIN agents_agent a ON a.id = k.agent_id
     WHERE %(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[])
), counted AS (
    SELECT CASE grouping(agent, release, model, verdict, bad)
               WHEN 15 THEN 'agent' WHEN 23 THEN 'release' WHEN 27 THEN 'model'
               WHEN 29 THEN 'verdict' WHEN 28 THEN 'bad' ELSE 'all'
           END AS kind,
           CASE grouping(agent, release, model, verdict, bad)
               WHEN 15 THEN agent WHEN 23 THEN release WHEN 27 THEN model
               WHEN 29 THEN verdict WHEN 28 THEN bad
           END AS name,
           verdict, coalesce(sum(n), 0)::bigint AS n,
           coalesce(sum(removed), 0)::bigint AS removed, min(since) AS since,
           coalesce(sum(unplaced), 0)::bigint AS unplaced
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
