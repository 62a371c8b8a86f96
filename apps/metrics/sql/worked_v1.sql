-- What an agent's turns were in each hour, by the release that they are laid to: how
-- many, how many told of a tool's call, and how long their sessions took up to them.
CREATE FUNCTION metrics_worked_v1(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, hour timestamptz, release text, turns bigint,
    tool_calls bigint, lasted_us bigint
) LANGUAGE sql STABLE AS $$
SELECT w.agent_id, w.hour, w.release, count(*), count(*) FILTER (WHERE w.is_call),
       sum(w.lasted_us)::bigint
  FROM metrics_worked_turns_v1(_project, _first, _last, _since, _until) w
 GROUP BY 1, 2, 3
$$;
