-- Keys that the target had, whose step has not come, and that others wrote between two
-- steps for the first time since what was seen.
SELECT count(*) AS keys
  FROM (SELECT DISTINCT e.key FROM timeline_entry e
         WHERE e.session_id = %(session)s AND e.number > %(since)s
           AND e.number < %(number)s AND e.key >= %(first)s AND e.key <> '') t
 CROSS JOIN LATERAL (
       SELECT e.body_number, e.expires_at FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.key = t.key AND e.number <= %(target)s
        ORDER BY e.number DESC LIMIT 1) old
 WHERE old.body_number IS NOT NULL
   AND (old.expires_at IS NULL OR old.expires_at > %(at)s)
   AND NOT EXISTS (
       SELECT FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.key = t.key AND e.number > %(seen)s
          AND e.number <= %(since)s)
