WITH RECURSIVE keys AS (
    (SELECT e.key FROM timeline_entry e
      WHERE e.session_id = %(session)s AND e.key > %(after)s::text
        AND e.key >= %(first)s::text ORDER BY e.key LIMIT 1)
    UNION ALL
    SELECT (SELECT e.key FROM timeline_entry e
             WHERE e.session_id = %(session)s AND e.key > k.key
             ORDER BY e.key LIMIT 1)
      FROM keys k WHERE k.key IS NOT NULL
       AND k.key < %(before)s::text)
SELECT p.* FROM (
    SELECT k.key, e.number, e.ordinal, e.body_number, e.size, v.created_at,
           v.created_at AS updated_at, e.expires_at, b.commitment, b.is_emptied
      FROM keys k
     CROSS JOIN LATERAL (
           SELECT e.* FROM timeline_entry e
            WHERE e.session_id = %(session)s AND e.key = k.key AND e.number <= %(at)s
            ORDER BY e.number DESC LIMIT 1) e
     CROSS JOIN LATERAL (
           SELECT v.created_at FROM timeline_version v
            WHERE v.session_id = %(session)s AND v.number = e.number LIMIT 1) v
     CROSS JOIN LATERAL (
           SELECT v.commitment, v.salt = '' AS is_emptied FROM timeline_version v
            WHERE v.session_id = %(session)s AND v.number = e.body_number LIMIT 1) b
     WHERE k.key < %(before)s::text
       AND (e.expires_at IS NULL OR e.expires_at > %(moment)s)
     LIMIT %(limit)s) p
 ORDER BY p.key
