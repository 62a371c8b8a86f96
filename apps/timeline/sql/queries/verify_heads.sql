-- The heads that differ from what follows from the entries, in either direction. A key
-- came to be with the first entry since it was last absent, or had expired; where
-- entries were pruned since, with that behind them, or before.
WITH entries AS (
    SELECT e.key, e.number, e.ordinal, e.body_number, e.size, e.expires_at,
           v.created_at AS at,
           lead(e.number) OVER one AS next,
           e.ordinal > coalesce(lag(e.ordinal) OVER one, 0) + 1 AS is_behind_gap,
           coalesce(lag(e.body_number) OVER one IS NULL
                    OR lag(e.expires_at) OVER one <= v.created_at, false) AS begins
      FROM timeline_entry e
      JOIN timeline_version v ON v.session_id = %(session)s AND v.number = e.number
     WHERE e.session_id = %(session)s
    WINDOW one AS (PARTITION BY e.key ORDER BY e.number)),
-- Windows, and no look-up of each key: a document may have a million.
runs AS (
    SELECT e.*, count(*) FILTER (WHERE e.begins)
                    OVER (PARTITION BY e.key ORDER BY e.number) AS run
      FROM entries e),
standing AS (
    SELECT r.*, first_value(r.at)
                    OVER (PARTITION BY r.key, r.run ORDER BY r.number) AS first_at,
           max(r.at) FILTER (WHERE r.is_behind_gap)
                    OVER (PARTITION BY r.key, r.run ORDER BY r.number) AS gap_at
      FROM runs r)
SELECT coalesce(s.key, h.key) AS key, coalesce(h.number, s.number) AS number
  FROM (SELECT l.* FROM standing l
         WHERE l.next IS NULL AND l.body_number IS NOT NULL) s
  FULL JOIN (SELECT k.* FROM timeline_keyhead k WHERE k.session_id = %(session)s) h
    ON h.key = s.key
 WHERE (h.number, h.ordinal, h.body_number, h.size, h.expires_at, h.updated_at,
        CASE WHEN h.created_at <= s.gap_at THEN s.gap_at ELSE h.created_at END)
       IS DISTINCT FROM
       (s.number, s.ordinal, s.body_number, s.size, s.expires_at, s.at,
        coalesce(s.gap_at, s.first_at))
 ORDER BY 1 LIMIT %(limit)s
