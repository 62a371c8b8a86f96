SELECT agent_id, sum(began)::bigint AS began, sum(versions)::bigint AS versions,
       sum(turns)::bigint AS turns, sum(rollbacks)::bigint AS rollbacks,
       sum(undos)::bigint AS undos, sum(repeats)::bigint AS repeats,
       sum(forks)::bigint AS forks, sum(aside)::bigint AS aside,
       sum(waited) AS waited, sum(stored)::bigint AS stored,
       sum(tool_calls)::bigint AS tool_calls, sum(tool_errors)::bigint AS tool_errors,
       sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms,
       max(latency_max) AS latency_max,
       count(*) FILTER (WHERE counted_by < 2) AS uncounted
  FROM (SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms,
               latency_max, counted_by
          FROM metrics_sum
         WHERE %(is_closed)s::boolean
           AND project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
           AND NOT hour = ANY (%(live_hours)s::timestamptz[])
        UNION ALL
        SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms,
               latency_max, counted_by
          FROM json_to_recordset(%(live_sums)s::json) AS live (
               agent_id varchar, began bigint, versions bigint, turns bigint,
               rollbacks bigint, undos bigint, repeats bigint, forks bigint,
               aside bigint, waited float8, stored bigint, tool_calls bigint,
               tool_errors bigint, timed bigint, latency_ms bigint,
               latency_max bigint, counted_by smallint)) AS s
 WHERE %(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[])
 GROUP BY agent_id
