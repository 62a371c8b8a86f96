-- Versions of a keyed document that set a value which nobody has to see any more: it is
-- shown neither at version `shown_from` or a later one nor at any of the `moments`. A
-- value is shown from its own entry to the next one of its key, and from each entry of
-- a restore that has brought it back. With `least`, of those alone whose body stands in
-- the table and has so many bytes.
WITH restored AS MATERIALIZED (
    SELECT e.key, e.number, e.body_number
      FROM timeline_version r
      JOIN timeline_entry e ON e.session_id = %(session)s AND e.number = r.number
     WHERE r.session_id = %(session)s AND r.restored_number IS NOT NULL
       AND e.body_number BETWEEN %(first)s AND %(last)s)
SELECT v.number
  FROM timeline_version v
  JOIN timeline_entry s ON s.session_id = %(session)s AND s.number = v.number
 WHERE v.session_id = %(session)s AND v.number BETWEEN %(first)s AND %(last)s
   AND v.op = 'set' AND v.salt <> ''
   AND (%(least)s::bigint IS NULL OR EXISTS (
       SELECT FROM timeline_body b
        WHERE b.session_id = %(session)s AND b.number = v.number
          AND b.codec BETWEEN 1 AND {{archived}} - 1
          AND octet_length(b.data) >= %(least)s))
   AND NOT EXISTS (
       SELECT FROM (SELECT s.key, s.number UNION ALL
                    SELECT r.key, r.number FROM restored r
                     WHERE r.body_number = v.number) e
         LEFT JOIN LATERAL (
              SELECT n.number FROM timeline_entry n
               WHERE n.session_id = %(session)s AND n.key = e.key
                 AND n.number > e.number
               ORDER BY n.number LIMIT 1) n ON true
        WHERE n.number IS NULL OR n.number > %(shown_from)s
           OR EXISTS (SELECT FROM unnest(%(moments)s::bigint[]) m (number)
                       WHERE m.number >= e.number AND m.number < n.number))
 ORDER BY v.number LIMIT %(limit)s
