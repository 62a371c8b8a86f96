SELECT w.id AS session_id, found.number
  FROM unnest(%(ids)s::varchar[]) WITH ORDINALITY w (id, place)
  JOIN timeline_session s ON s.id = w.id
 CROSS JOIN LATERAL (
    SELECT v.number FROM timeline_version v
     WHERE v.session_id = w.id
       AND (v.changes_truncated OR v.number < s.thinned_below
            OR %(carried)s::bool AND v.number = 0 AND v.op = 'fork')
       AND v.number >= %(since)s::bigint AND {{below}}
     ORDER BY v.number DESC LIMIT %(limit)s) found
 ORDER BY w.place, found.number DESC LIMIT %(most)s
