-- What can be added up: an agent's numbers in each hour. `latency_max` is no sum, and 0
-- where no turn said how long it took; `counted_by` says by which of these functions an
-- hour was added up: what only later ones count is not in it.
CREATE FUNCTION metrics_sums_v5(
    _project varchar, _first varchar, _last varchar,
    _since timestamptz, _until timestamptz
) RETURNS TABLE (
    agent_id varchar, hour timestamptz, began bigint, versions bigint, turns bigint,
    rollbacks bigint, undos bigint, repeats bigint, forks bigint,
    aside bigint, waited double precision, stored bigint,
    tool_calls bigint, tool_errors bigint, timed bigint, latency_ms bigint,
    latency_max bigint, counted_by smallint
) LANGUAGE sql STABLE AS $$
SELECT a.agent_id, a.hour,
       count(*) FILTER (WHERE a.is_first), count(*) FILTER (WHERE NOT a.is_turn),
       count(*) FILTER (WHERE a.is_turn), count(*) FILTER (WHERE a.is_failure),
       count(*) FILTER (WHERE a.is_undo), count(*) FILTER (WHERE a.is_repeat),
       count(*) FILTER (WHERE a.is_fork),
       coalesce(sum(metrics_set_aside_v1(a.session_id, a.number - 1, a.restored_number))
                FILTER (WHERE a.is_failure), 0)::bigint,
       coalesce(sum(a.waited) FILTER (WHERE a.is_failure), 0),
       coalesce(sum(a.stored), 0)::bigint,
       count(a.tool), count(a.tool) FILTER (WHERE a.tool_failed),
       count(a.latency_ms), coalesce(sum(a.latency_ms), 0)::bigint,
       coalesce(max(a.latency_ms), 0), 2::smallint
  FROM metrics_acts_v5(_project, _first, _last, _since, _until) a
 GROUP BY a.agent_id, a.hour
$$;
