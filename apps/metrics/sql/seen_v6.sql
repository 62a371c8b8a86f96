-- Which sessions are to be counted for what, hour by hour: a row for each measure and
-- value that a session has in an hour. `number` is the first version that has it there;
-- a turn alone speaks of the version after the one it found.
--
-- `depth` and `waited` are counts of rollbacks in classes, `latency` of turns; the
-- bounds are in the text. Classes of `latency_fine` begin at powers of the twentieth
-- root of ten, each 12 % above the one before it (one millisecond is added, so that
-- there is one for 0), so what 95 % of the turns took at most is known to 12 %. `tool`
-- and `tool_failed` are counts of calls by the tool's name, which agents choose: of an
-- agent in an hour the fifty most called have theirs, all others together have none.
--
-- Of the releases and of the models that a session has in an hour the first ten have
-- their names; the others are counted by a measure of their own, so that no name can be
-- taken for them. Which these are is a matter of the session alone, and of one hour.
-- What was not told, the empty text, is neither of the ten nor of the others.
--
-- What every act has is added up by session before it is spread over measures; only
-- rollbacks and turns are looked at one by one. Nothing is joined: the planner knows
-- neither how many rows the parts have, nor how many sessions, releases and tools.
CREATE FUNCTION metrics_seen_v6(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, measure text, value text, session_id varchar,
    hour timestamptz, number bigint, acts bigint
) LANGUAGE sql STABLE AS $$
-- Named one by one, so that nothing is read for columns that nobody asks for.
WITH acts AS MATERIALIZED (
    SELECT a.agent_id, a.session_id, a.hour, a.is_turn, a.number, a.release, a.model,
           a.is_failure, a.restored_number, a.reason, a.actor, a.waited,
           a.tool, a.tool_failed, a.latency_ms, a.is_closed, a.is_escalated,
           a.is_flagged
      FROM metrics_acts_v5(_project, _first, _last, _since, _until) a
),
added AS (
    SELECT a.agent_id, a.session_id, a.hour, a.release, a.model,
           min(a.number) AS first, min(a.number + a.is_turn::integer) AS number,
           count(*) AS acts, bool_or(a.is_closed) AS is_closed,
           bool_or(a.is_escalated) AS is_escalated,
           bool_or(a.is_flagged) AS is_flagged,
           array_agg(a.number) FILTER (WHERE a.is_failure) AS rollbacks,
           array_agg(a.restored_number) FILTER (WHERE a.is_failure) AS restored,
           array_agg(a.reason) FILTER (WHERE a.is_failure) AS reasons,
           array_agg(a.actor) FILTER (WHERE a.is_failure) AS actors,
           array_agg(a.waited) FILTER (WHERE a.is_failure) AS waits
      FROM acts a GROUP BY 1, 2, 3, 4, 5
),
begun AS (
    SELECT d.*,
           CASE WHEN d.release <> '' THEN min(d.first) OVER (
               PARTITION BY d.session_id, d.hour, d.release) END AS release_first,
           CASE WHEN d.model <> '' THEN min(d.first) OVER (
               PARTITION BY d.session_id, d.hour, d.model) END AS model_first
      FROM added d
),
laid AS MATERIALIZED (
    SELECT b.*,
           b.release <> '' AND dense_rank() OVER (
               PARTITION BY b.session_id, b.hour ORDER BY b.release_first) > 10
             AS is_other_release,
           b.model <> '' AND dense_rank() OVER (
               PARTITION BY b.session_id, b.hour ORDER BY b.model_first) > 10
             AS is_other_model
      FROM begun b
),
called AS (
    SELECT a.*, count(*) OVER (PARTITION BY a.agent_id, a.hour, a.tool) AS calls
      FROM acts a WHERE a.is_turn
),
turns AS (
    SELECT c.*,
           CASE WHEN c.tool IS NULL THEN NULL
                WHEN dense_rank() OVER (
                    PARTITION BY c.agent_id, c.hour, c.tool IS NULL
                    ORDER BY c.calls DESC, c.tool COLLATE "C") <= 50 THEN c.tool
                ELSE '' END AS tool_named
      FROM called c
),
told AS (
    SELECT l.agent_id, m.measure, m.value, l.session_id, l.hour, l.number, l.acts
      FROM laid l
     CROSS JOIN LATERAL (
           VALUES ('active', ''),
                  ('closed', CASE WHEN l.is_closed THEN '' END),
                  ('escalated', CASE WHEN l.is_escalated THEN '' END),
                  ('flagged', CASE WHEN l.is_flagged THEN '' END),
                  (CASE WHEN l.is_other_release THEN 'release_others' ELSE 'release' END,
                   CASE WHEN l.is_other_release THEN '' ELSE l.release END),
                  (CASE WHEN l.is_other_model THEN 'model_others' ELSE 'model' END,
                   CASE WHEN l.is_other_model THEN '' ELSE l.model END)
           ) AS m (measure, value)
    UNION ALL
    SELECT l.agent_id, m.measure, m.value, l.session_id, l.hour, f.number, 1
      FROM laid l
     CROSS JOIN LATERAL unnest(l.rollbacks, l.restored, l.reasons, l.actors, l.waits)
        AS f (number, restored, reason, actor, waited)
     CROSS JOIN LATERAL (
           VALUES ('rolled_back', ''),
                  (CASE WHEN l.is_other_release THEN 'release_rolled_back_others'
                        ELSE 'release_rolled_back' END,
                   CASE WHEN l.is_other_release THEN '' ELSE l.release END),
                  (CASE WHEN l.is_other_model THEN 'model_rolled_back_others'
                        ELSE 'model_rolled_back' END,
                   CASE WHEN l.is_other_model THEN '' ELSE l.model END),
                  ('reason', f.reason),
                  ('actor', f.actor),
                  ('depth', width_bucket(
                      metrics_set_aside_v1(l.session_id, f.number - 1, f.restored),
                      ARRAY[2, 3, 6, 11, 21, 51]::bigint[])::text),
                  ('waited', width_bucket(f.waited,
                      ARRAY[60, 300, 900, 3600, 21600, 86400]::double precision[])::text)
           ) AS m (measure, value)
     WHERE l.rollbacks IS NOT NULL
    UNION ALL
    SELECT t.agent_id, m.measure, m.value, t.session_id, t.hour, t.number + 1, 1
      FROM turns t
     CROSS JOIN LATERAL (
           VALUES ('latency', width_bucket(t.latency_ms,
                      ARRAY[250, 500, 1000, 2000, 5000, 10000, 30000]::bigint[])::text),
                  ('latency_fine',
                      floor(log(t.latency_ms + 1::numeric) * 20)::integer::text),
                  ('tool', t.tool_named),
                  ('tool_failed', CASE WHEN t.tool_failed THEN t.tool_named END)
           ) AS m (measure, value)
)
SELECT t.agent_id, t.measure, t.value, t.session_id, t.hour,
       min(t.number), sum(t.acts)::bigint
  FROM told t WHERE t.value IS NOT NULL
 GROUP BY t.agent_id, t.measure, t.value, t.session_id, t.hour
$$;
