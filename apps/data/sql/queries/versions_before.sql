-- Where windows of time begin in the versions of a document, by halves: of a million
-- versions with twenty looks. They have no gap and came one after the other.
WITH RECURSIVE looked AS (
    SELECT w.name, w.since, 0::bigint AS before, %(head)s::bigint + 1 AS behind
      FROM unnest(%(names)s::text[], %(since)s::timestamptz[]) w (name, since)
     UNION ALL
    SELECT l.name, l.since,
           CASE WHEN v.created_at < l.since THEN v.number ELSE l.before END,
           CASE WHEN v.created_at < l.since THEN l.behind ELSE v.number END
      FROM looked l
      JOIN timeline_version v
        ON v.session_id = %(session)s AND v.number = (l.before + l.behind) / 2
     WHERE l.behind - l.before > 1)
SELECT l.name, max(l.before) AS number FROM looked l GROUP BY l.name
