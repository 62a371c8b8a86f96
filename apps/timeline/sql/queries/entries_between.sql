SELECT t.key, a.body_number AS before, b.body_number AS after,
       coalesce(a.size, 0) AS size_before, coalesce(b.size, 0) AS size_after
  FROM (SELECT DISTINCT e.key FROM timeline_entry e
         WHERE e.session_id = %(session)s AND e.key > %(after)s::text
           AND e.number > least(%(first)s::bigint, %(second)s::bigint)
           AND e.number <= greatest(%(first)s::bigint, %(second)s::bigint)) t
  LEFT JOIN LATERAL (
       SELECT e.body_number, e.size, e.expires_at FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.key = t.key AND e.number <= %(first)s
        ORDER BY e.number DESC LIMIT 1) a
    ON a.expires_at IS NULL OR a.expires_at > %(moment)s
  LEFT JOIN LATERAL (
       SELECT e.body_number, e.size, e.expires_at FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.key = t.key AND e.number <= %(second)s
        ORDER BY e.number DESC LIMIT 1) b
    ON b.expires_at IS NULL OR b.expires_at > %(moment)s
 WHERE a.body_number IS DISTINCT FROM b.body_number
 ORDER BY t.key LIMIT %(limit)s
