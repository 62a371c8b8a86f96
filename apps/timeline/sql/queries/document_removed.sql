SELECT count(*) AS removed
  FROM timeline_entry e
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = %(number)s
  JOIN LATERAL (SELECT b.expires_at FROM timeline_entry b
                 WHERE b.session_id = %(session)s AND b.key = e.key
                   AND b.number < %(number)s
                 ORDER BY b.number DESC LIMIT 1) before ON true
 WHERE e.session_id = %(session)s AND e.number = %(number)s
   AND (before.expires_at IS NULL OR before.expires_at > v.created_at)
