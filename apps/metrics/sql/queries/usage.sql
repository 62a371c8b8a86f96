SELECT agent_id, release, model, currency, sum(turns)::bigint AS turns,
       sum(costed)::bigint AS costed, sum(filled_in)::bigint AS filled_in,
       sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens,
       sum(cached_tokens)::bigint AS cached_tokens, sum(cost) AS cost
  FROM metrics_usage
 WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
   AND NOT hour = ANY (%(live_hours)s::timestamptz[])
   AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
 GROUP BY agent_id, release, model, currency
