SELECT agent_id, release, sum(turns)::bigint AS turns,
       sum(tool_calls)::bigint AS tool_calls, sum(lasted_us)::bigint AS lasted_us
  FROM metrics_worked
 WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
   AND NOT hour = ANY (%(live_hours)s::timestamptz[])
   AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
 GROUP BY agent_id, release
