-- Each key that the version had is a head still, or was touched since.
SELECT k.key, e.number, e.ordinal, e.body_number, e.size, v.created_at,
       v.created_at AS updated_at, e.expires_at, b.commitment
  FROM (SELECT h.key FROM timeline_keyhead h
         WHERE h.session_id = %(session)s
           AND CASE WHEN h.key = '' THEN %(config)s ELSE %(data)s END
        UNION
        SELECT t.key FROM timeline_entry t
         WHERE t.session_id = %(session)s AND t.number > %(since)s
           AND CASE WHEN t.key = '' THEN %(config)s ELSE %(data)s END) k
 CROSS JOIN LATERAL (
       SELECT e.* FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.key = k.key AND e.number <= %(at)s
        ORDER BY e.number DESC LIMIT 1) e
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = e.number
  JOIN timeline_version b ON b.session_id = %(session)s AND b.number = e.body_number
 WHERE e.expires_at IS NULL OR e.expires_at > %(moment)s
 ORDER BY k.key
