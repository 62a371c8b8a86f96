"""What is asked of the rollups, and of the hours that are counted live.

Time zones come as moments worked out in Python: two sides that know zones would have
to agree on their rules.
"""

from apps.core import sql

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
# By what their rows are told apart; all else in them is added up.
KEYS = {
    SUMS: ("agent_id",),
    GROUPS: ("agent_id", "measure", "value"),
    SERIES: ("agent_id", "measure", "start"),
    WEEK: ("day", "hour", "measure"),
}
NOTHING = {"live_sums": "[]", "live_reach": "[]"}
