SELECT o.number, o.key, o.place
  FROM (SELECT e.key, e.number, e.ordinal,
               row_number() OVER (PARTITION BY e.key ORDER BY e.number) AS place
          FROM timeline_entry e WHERE e.session_id = %(session)s) o
 WHERE o.ordinal <> o.place
 ORDER BY o.number, o.key LIMIT %(limit)s
