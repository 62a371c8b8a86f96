-- What was touched since, swept or not, and what was not and is over all the same.
WITH expired AS MATERIALIZED (
    SELECT r.key
      FROM timeline_keyed_restored_v1(
               %(session)s, %(target)s, %(head)s, %(at)s, false, true) r
     CROSS JOIN LATERAL (
           SELECT e.expires_at FROM timeline_entry e
            WHERE e.session_id = %(session)s AND e.key = r.key
              AND e.number <= %(target)s
            ORDER BY e.number DESC LIMIT 1) o
     WHERE r.lapsed AND o.expires_at > %(since)s
    UNION ALL
    SELECT h.key FROM timeline_keyhead h
     WHERE h.session_id = %(session)s AND h.key <> '' AND h.number <= %(target)s
       AND h.expires_at > %(since)s AND h.expires_at <= %(at)s)
SELECT (SELECT count(*) FROM expired) AS keys,
       ARRAY(SELECT x.key FROM expired x
              ORDER BY x.key LIMIT %(shown)s) AS first_keys
