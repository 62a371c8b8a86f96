-- Entries before which more numbers of their key are missing than versions: each version
-- has one entry of a key at most, and those of a config are never pruned.
WITH entries AS (
    SELECT e.key, e.number, e.ordinal,
           coalesce(lag(e.ordinal) OVER one, 0) AS ordinal_before,
           coalesce(lag(e.number) OVER one, -1) AS number_before
      FROM timeline_entry e WHERE e.session_id = %(session)s
    WINDOW one AS (PARTITION BY e.key ORDER BY e.number)),
places AS (
    SELECT v.number, row_number() OVER (ORDER BY v.number) AS place
      FROM timeline_version v WHERE v.session_id = %(session)s)
SELECT e.number, e.key, e.ordinal_before + 1 AS place
  FROM entries e
  LEFT JOIN places p ON p.number = e.number
  LEFT JOIN places b ON b.number = e.number_before
 WHERE e.ordinal <> e.ordinal_before + 1
   AND (e.key = '' OR e.ordinal <= e.ordinal_before
        OR e.ordinal - e.ordinal_before - 1
           > (e.number - e.number_before) - (p.place - coalesce(b.place, 0)))
 ORDER BY e.number, e.key LIMIT %(limit)s
