-- The next keys, in order, that were touched after the target and up to what was seen.
SELECT count(*) AS keys, max(t.key) AS last_key
  FROM (SELECT DISTINCT e.key FROM timeline_entry e
         WHERE e.session_id = %(session)s AND e.key >= %(first)s
           AND e.number > %(target)s AND e.number <= %(seen)s
           AND CASE WHEN e.key = '' THEN %(config)s ELSE %(data)s END
         ORDER BY e.key
         LIMIT %(keys)s) t
