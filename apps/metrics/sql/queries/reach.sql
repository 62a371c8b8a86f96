WITH reach AS (
     SELECT agent_id, measure, value, hour, gap, sessions, acts FROM metrics_reach
      WHERE %(is_closed)s::boolean
        AND project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
        AND NOT hour = ANY (%(live_hours)s::timestamptz[])
        AND measure = ANY (%(measures)s::text[])
        AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
     UNION ALL
     SELECT agent_id, measure, value, hour, gap, sessions, acts
       FROM json_to_recordset(%(live_reach)s::json) AS live (
            agent_id varchar, measure varchar, value varchar, hour timestamptz,
            gap integer, sessions bigint, acts bigint)
      WHERE measure = ANY (%(measures)s::text[])
        AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[])))
