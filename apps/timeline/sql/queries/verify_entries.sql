SELECT e.key, e.number, e.body_number, e.size, e.expires_at, e.cause
  FROM timeline_entry e
 WHERE e.session_id = %(session)s AND e.number BETWEEN %(first)s AND %(last)s
 ORDER BY e.number, e.key
