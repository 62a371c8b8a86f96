-- Which sessions are to be counted for what, hour by hour: a row for each measure and
-- value that a session has in an hour. `number` is the first version that has it there;
-- a turn alone speaks of the version after the one it found.
--
-- `depth` and `waited` are counts of rollbacks in classes, `latency` of turns; the
-- bounds are in the text. `tool` and `tool_failed` are counts of calls by the tool's
-- name, which agents choose: of an agent in an hour the fifty most called have theirs,
-- all others together have none.
--
-- Of the releases and of the models that a session has in an hour the first ten have
-- their names; the others are counted by a measure of their own, so that no name can be
-- taken for them. Which these are is a matter of the session alone, and of one hour.
CREATE FUNCTION metrics_seen_v3(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, measure text, value text, session_id varchar,
    hour timestamptz, number bigint, acts bigint
) LANGUAGE sql STABLE AS $$
WITH acts AS MATERIALIZED (
    SELECT f.*,
           f.release_first IS NOT NULL AND dense_rank() OVER (
               PARTITION BY f.session_id, f.hour ORDER BY f.release_first) > 10
             AS is_other_release,
           f.model_first IS NOT NULL AND dense_rank() OVER (
               PARTITION BY f.session_id, f.hour ORDER BY f.model_first) > 10
             AS is_other_model
      FROM (SELECT a.*,
                   CASE WHEN a.release IS NOT NULL THEN min(a.number) OVER (
                       PARTITION BY a.session_id, a.hour, a.release) END AS release_first,
                   CASE WHEN a.model IS NOT NULL THEN min(a.number) OVER (
                       PARTITION BY a.session_id, a.hour, a.model) END AS model_first
              FROM metrics_acts_v2(_project, _first, _last, _since, _until) a) AS f
),
tools AS MATERIALIZED (
    SELECT a.agent_id, a.hour, a.tool,
           CASE WHEN row_number() OVER (PARTITION BY a.agent_id, a.hour
                                        ORDER BY count(*) DESC, a.tool COLLATE "C") <= 50
                THEN a.tool ELSE '' END AS value
      FROM acts a WHERE a.tool IS NOT NULL
     GROUP BY a.agent_id, a.hour, a.tool
)
SELECT a.agent_id, m.measure, m.value, a.session_id, a.hour,
       min(a.number + a.is_turn::integer), count(*)
  FROM acts a
  LEFT JOIN tools t ON t.agent_id = a.agent_id AND t.hour = a.hour AND t.tool = a.tool
 CROSS JOIN LATERAL (
       VALUES ('active', ''),
              (CASE WHEN a.is_other_release THEN 'release_others' ELSE 'release' END,
               CASE WHEN a.is_other_release THEN '' ELSE a.release END),
              (CASE WHEN a.is_other_model THEN 'model_others' ELSE 'model' END,
               CASE WHEN a.is_other_model THEN '' ELSE a.model END),
              ('rolled_back', CASE WHEN a.is_failure THEN '' END),
              (CASE WHEN a.is_other_release THEN 'release_rolled_back_others'
                    ELSE 'release_rolled_back' END,
               CASE WHEN NOT a.is_failure THEN NULL
                    WHEN a.is_other_release THEN '' ELSE a.release END),
              (CASE WHEN a.is_other_model THEN 'model_rolled_back_others'
                    ELSE 'model_rolled_back' END,
               CASE WHEN NOT a.is_failure THEN NULL
                    WHEN a.is_other_model THEN '' ELSE a.model END),
              ('reason', CASE WHEN a.is_failure THEN a.reason END),
              ('actor', CASE WHEN a.is_failure THEN a.actor END),
              ('depth', CASE WHEN a.is_failure THEN width_bucket(
                  metrics_set_aside_v1(a.session_id, a.number - 1, a.restored_number),
                  ARRAY[2, 3, 6, 11, 21, 51]::bigint[])::text END),
              ('waited', CASE WHEN a.is_failure THEN width_bucket(a.waited,
                  ARRAY[60, 300, 900, 3600, 21600, 86400]::double precision[])::text END),
              ('latency', width_bucket(a.latency_ms,
                  ARRAY[250, 500, 1000, 2000, 5000, 10000, 30000]::bigint[])::text),
              ('tool', t.value),
              ('tool_failed', CASE WHEN a.tool_failed THEN t.value END)
       ) AS m (measure, value)
 WHERE m.value IS NOT NULL
 GROUP BY a.agent_id, m.measure, m.value, a.session_id, a.hour
$$;
