-- How many sessions had a measure and value in an hour, by the hours since they had it
-- last (0: never before). Of a time that begins at a whole hour, the sessions that had
-- it at least once are those whose last time lies before it: a sum, in which nobody is
-- counted twice. Of what counts acts alone nobody asks for sessions; of the others among
-- releases and models a session counts again in each hour.
CREATE FUNCTION metrics_reaches_v6(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, measure text, value text, hour timestamptz, gap integer,
    sessions bigint, acts bigint
) LANGUAGE sql STABLE AS $$
SELECT s.agent_id, s.measure, s.value, s.hour,
       coalesce(extract(epoch FROM s.hour - s.previous) / 3600, 0)::integer,
       count(*), sum(s.acts)::bigint
  FROM (SELECT seen.*, CASE WHEN seen.measure NOT IN (
                   'depth', 'waited', 'latency', 'latency_fine', 'tool', 'tool_failed',
                   'release_others', 'model_others', 'release_rolled_back_others',
                   'model_rolled_back_others')
               THEN metrics_previous_v4(seen.measure, seen.value, seen.session_id,
                                        seen.number, seen.hour) END AS previous
          FROM metrics_seen_v6(_project, _first, _last, _since, _until) seen) AS s
 GROUP BY 1, 2, 3, 4, 5
$$;
