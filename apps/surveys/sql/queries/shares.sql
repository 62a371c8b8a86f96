-- One walk over the sessions of a survey: how many stand how, and of each release and
-- model in how many it wrote while they passed, and in how many it was the first that
-- broke them. What nobody can decide is counted apart.
WITH seen AS (
    SELECT s.session_id, s.verdict, s.is_placed, s.is_inherited, s.wrote,
           s.verdict IN ('good', 'bad') AND (s.verdict = 'good' OR s.is_placed)
               AS is_decided
      FROM surveys_sampled s
      JOIN agents_agent a ON a.id = s.agent_id
     WHERE s.survey_id = %(survey)s
       AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
), wrote AS (
    SELECT k.session_id, k.is_decided, w.release, w.model, w.broke
      FROM seen k,
           jsonb_to_recordset(k.wrote) w (release text, model text, broke boolean)
), grouped AS (
    SELECT CASE grouping(release, model) WHEN 1 THEN 'release' ELSE 'model' END AS kind,
           CASE grouping(release, model) WHEN 1 THEN release ELSE model END AS name,
           count(DISTINCT session_id) FILTER (WHERE is_decided) AS decided,
           count(DISTINCT session_id) FILTER (WHERE is_decided AND broke) AS bad,
           count(DISTINCT session_id) FILTER (WHERE NOT is_decided) AS undecided
      FROM wrote
     GROUP BY GROUPING SETS ((release), (model))
), ranked AS (
    SELECT *, row_number() OVER (
               PARTITION BY kind ORDER BY decided DESC, undecided DESC, name) AS place
      FROM grouped
)
SELECT kind, name, decided, bad, undecided, 0::bigint AS inherited,
       0::bigint AS unplaced, 0::bigint AS waiting
  FROM ranked WHERE place <= %(most)s
UNION ALL
SELECT 'all', NULL, count(*) FILTER (WHERE verdict = 'good'),
       count(*) FILTER (WHERE verdict = 'bad'),
       count(*) FILTER (WHERE verdict = 'unknown'),
       count(*) FILTER (WHERE is_inherited),
       count(*) FILTER (WHERE verdict = 'bad' AND NOT is_placed),
       count(*) FILTER (WHERE verdict IS NULL)
  FROM seen
 LIMIT %(rows)s
