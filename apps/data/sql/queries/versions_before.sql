-- Where windows of time begin in the versions of a document, by halves: of a million
-- versions with twenty looks. They came one after the other; of those that are gone the
-- next below is looked at. Where the version right before a window is gone itself,
-- some of those in the window may be as well: `is_there` says that none is.
WITH RECURSIVE looked AS (
    SELECT w.name, w.since, 0::bigint AS before, %(head)s::bigint + 1 AS behind
      FROM unnest(%(names)s::text[], %(since)s::timestamptz[]) w (name, since)
     UNION ALL
    SELECT l.name, l.since,
           CASE WHEN v.created_at >= l.since THEN l.before
                ELSE (l.before + l.behind) / 2 END,
           CASE WHEN v.created_at >= l.since THEN v.number ELSE l.behind END
      FROM looked l
      LEFT JOIN LATERAL (
           SELECT o.number, o.created_at FROM timeline_version o
            WHERE o.session_id = %(session)s AND o.number > l.before
              AND o.number <= (l.before + l.behind) / 2
            ORDER BY o.number DESC LIMIT 1) v ON true
     WHERE l.behind - l.before > 1)
SELECT b.name, b.number,
       b.number = 0 OR EXISTS (
           SELECT FROM timeline_version v
            WHERE v.session_id = %(session)s AND v.number = b.number) AS is_there
  FROM (SELECT l.name, max(l.before) AS number FROM looked l GROUP BY l.name) b
