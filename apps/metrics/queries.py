"""What is asked of the rollups, and of the hours that are counted live.

Time zones come as moments worked out in Python: two sides that know zones would have
to agree on their rules.
"""

# Asked first and told as a constant: of an unknown xid PostgreSQL expects a third of
# all events, and at a million takes 15 ms to make room for their hours.
FOLLOWED = """
SELECT coalesce((SELECT xid FROM metrics_follower WHERE id = 1), '0')::text AS xid
"""
# Open hours, hours to be rolled up, and those of events nobody has followed yet; in
# one statement with the revision that all other hours have.
LIVE_HOURS = """
SELECT coalesce((SELECT number FROM metrics_revision
                  WHERE project_id = %(project)s), 0) AS revision,
       ARRAY(
    SELECT hour FROM metrics_due
     WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
    UNION
    SELECT date_trunc('hour', e.created_at, 'UTC') FROM audit_event e
     WHERE e.xid >= %(followed)s::text::xid8
       AND e.project_id = %(project)s AND e.stream_id LIKE 'sess\\_%%'
       AND e.created_at >= %(since)s AND e.created_at < %(until)s) AS hours
"""
SUMS = """
SELECT agent_id, sum(began)::bigint AS began, sum(versions)::bigint AS versions,
       sum(turns)::bigint AS turns, sum(rollbacks)::bigint AS rollbacks,
       sum(undos)::bigint AS undos, sum(repeats)::bigint AS repeats,
       sum(forks)::bigint AS forks, sum(aside)::bigint AS aside,
       sum(waited) AS waited, sum(stored)::bigint AS stored,
       sum(tool_calls)::bigint AS tool_calls, sum(tool_errors)::bigint AS tool_errors,
       sum(timed)::bigint AS timed, sum(latency_ms)::bigint AS latency_ms
  FROM (SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms
          FROM metrics_sum
         WHERE %(is_closed)s::boolean
           AND project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
           AND NOT hour = ANY (%(live_hours)s::timestamptz[])
        UNION ALL
        SELECT agent_id, began, versions, turns, rollbacks, undos, repeats, forks,
               aside, waited, stored, tool_calls, tool_errors, timed, latency_ms
          FROM json_to_recordset(%(live_sums)s::json) AS live (
               agent_id varchar, began bigint, versions bigint, turns bigint,
               rollbacks bigint, undos bigint, repeats bigint, forks bigint,
               aside bigint, waited float8, stored bigint, tool_calls bigint,
               tool_errors bigint, timed bigint, latency_ms bigint)) AS s
 WHERE %(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[])
 GROUP BY agent_id
"""
REACH = """
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
"""
# Who had it before the range began, or never: everybody else is counted already.
GROUPS = (
    REACH
    + """
SELECT agent_id, measure, value, coalesce(sum(acts), 0)::bigint AS acts,
       coalesce(sum(sessions) FILTER (
           WHERE gap = 0 OR hour - gap * interval '1 hour' < %(since)s), 0)::bigint
         AS sessions, min(hour) AS first
  FROM reach GROUP BY agent_id, measure, value
"""
)
SERIES = (
    REACH
    + """,
placed AS (
     SELECT *, (%(starts)s::timestamptz[])[
                   width_bucket(hour, %(starts)s::timestamptz[])] AS start FROM reach)
SELECT agent_id, measure, start, coalesce(sum(acts), 0)::bigint AS acts,
       coalesce(sum(sessions) FILTER (
           WHERE gap = 0 OR hour - gap * interval '1 hour' < start), 0)::bigint
         AS sessions
  FROM placed GROUP BY agent_id, measure, start
"""
)
# What a clock on a wall said: from each of `moments` on it is `offsets` away from UTC.
# Added up by the hour first: the clock is asked some hundred times, not a million.
WEEK = (
    REACH
    + """,
hours AS (SELECT hour, measure, sum(sessions) AS sessions FROM reach GROUP BY 1, 2),
placed AS (
     SELECT measure, sessions, hour AT TIME ZONE 'UTC' + interval '1 second'
            * (%(offsets)s::integer[])[
                  width_bucket(hour, %(moments)s::timestamptz[])] AS clock FROM hours)
SELECT extract(isodow FROM clock)::integer AS day,
       extract(hour FROM clock)::integer AS hour, measure,
       sum(sessions)::bigint AS sessions
  FROM placed GROUP BY 1, 2, 3
"""
)
# By what their rows are told apart; all else in them is added up.
KEYS = {
    SUMS: ("agent_id",),
    GROUPS: ("agent_id", "measure", "value"),
    SERIES: ("agent_id", "measure", "start"),
    WEEK: ("day", "hour", "measure"),
}
NOTHING = {"live_sums": "[]", "live_reach": "[]"}
