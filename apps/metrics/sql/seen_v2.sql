-- Which sessions are to be counted for what, hour by hour: a row for each measure and
-- value that a session has in an hour. `number` is the first version that has it there;
-- a turn alone speaks of the version after the one it found.
--
-- `depth` and `waited` are counts of rollbacks in classes, `latency` of turns; the
-- bounds are in the text. `tool` and `tool_failed` are counts of calls by the tool's
-- name, which agents choose: of an agent in an hour the fifty most called have theirs,
-- all others together have none.
CREATE FUNCTION metrics_seen_v2(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, measure text, value text, session_id varchar,
    hour timestamptz, number bigint, acts bigint
) LANGUAGE sql STABLE AS $$
WITH acts AS MATERIALIZED (
    SELECT * FROM metrics_acts_v2(_project, _first, _last, _since, _until)
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
              ('release', a.release),
              ('model', a.model),
              ('rolled_back', CASE WHEN a.is_failure THEN '' END),
              ('release_rolled_back', CASE WHEN a.is_failure THEN a.release END),
              ('model_rolled_back', CASE WHEN a.is_failure THEN a.model END),
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
