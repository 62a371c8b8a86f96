-- Between which entries of a key others were pruned: what stood there is not known, from
-- `since` (-1: from the first version on) to before `number`.
SELECT g.key, g.since, g.number
  FROM (SELECT e.key, e.number, e.ordinal,
               coalesce(lag(e.ordinal) OVER one, 0) AS ordinal_before,
               coalesce(lag(e.number) OVER one, -1) AS since
          FROM timeline_entry e WHERE e.session_id = %(session)s
        WINDOW one AS (PARTITION BY e.key ORDER BY e.number)) g
 WHERE g.ordinal > g.ordinal_before + 1
