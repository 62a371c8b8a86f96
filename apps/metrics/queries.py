"""What is asked of the rollups, and of the hours that are counted live.

Time zones come as moments worked out in Python: two sides that know zones would have
to agree on their rules.
"""

from apps.core import sql

# Open hours, hours to be rolled up, and all from the first on that an event falls into
# which is not fed yet: it may change the later ones. In one statement with the revision
# that all other hours have.
LIVE_HOURS = sql.query("metrics", "live_hours")
SUMS = sql.query("metrics", "sums")
REACH = sql.query("metrics", "reach")
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
# Sessions that began, of closed hours alone.
BEGUN = """
SELECT agent_id, width_bucket(hour, %(starts)s::timestamptz[]) AS place,
       sum(began)::bigint AS began
  FROM metrics_sum
 WHERE project_id = %(project)s AND hour >= %(since)s AND hour < %(until)s
   AND (%(agents)s::text[] IS NULL OR agent_id = ANY (%(agents)s::text[]))
 GROUP BY agent_id, place HAVING sum(began) > 0
"""
# Hour by hour, for windows that slide over them. A gap longer than the window means
# the same as one as long; agents are told apart where that is asked for.
HISTORY = (
    REACH
    + """
SELECT CASE WHEN (%(by_agent)s::boolean[])[1] THEN agent_id ELSE '' END AS agent_id,
       measure, value, hour, least(gap, (%(hours)s::integer[])[1]) AS gap,
       sum(sessions)::bigint AS sessions, sum(acts)::bigint AS acts
  FROM reach GROUP BY 1, 2, 3, 4, 5
"""
)
# By what their rows are told apart; all else in them is added up.
KEYS = {
    SUMS: ("agent_id",),
    GROUPS: ("agent_id", "measure", "value"),
    SERIES: ("agent_id", "measure", "start"),
    WEEK: ("day", "hour", "measure"),
    HISTORY: ("agent_id", "measure", "value", "hour", "gap"),
}
NOTHING = {"live_sums": "[]", "live_reach": "[]"}
