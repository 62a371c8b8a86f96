-- One level of keys, in their order: each key that is met leads to the first one behind
-- it, or behind all of its branch, which ends with the next separator. `next` is that
-- text: `;` is behind `:`, `0` behind `/`, and nothing is less behind a key than the
-- second of all characters (the first, NUL, no text has).
WITH RECURSIVE met AS (
    (SELECT k.key, {{branch}} AS branch, {{next}} AS next
       FROM (SELECT h.key FROM timeline_keyhead h
              WHERE h.session_id = %(session)s AND h.key <> ''
                AND h.key >= %(first)s::text
                AND h.key < %(before)s::text
                AND (h.expires_at IS NULL OR h.expires_at > %(now)s)
              ORDER BY h.key LIMIT 1) k
      CROSS JOIN LATERAL {{part}} p)
    UNION ALL
    (SELECT k.key, {{branch}} AS branch, {{next}} AS next
       FROM met m
      CROSS JOIN LATERAL (
            SELECT h.key FROM timeline_keyhead h
             WHERE h.session_id = %(session)s AND h.key >= m.next
               AND h.key < %(before)s::text
               AND (h.expires_at IS NULL OR h.expires_at > %(now)s)
             ORDER BY h.key LIMIT 1) k
      CROSS JOIN LATERAL {{part}} p))
SELECT m.key, m.branch, c.keys
  FROM (SELECT key, branch, next FROM met LIMIT %(limit)s) m
 CROSS JOIN LATERAL (
       SELECT count(*) AS keys FROM (
           SELECT 1 FROM timeline_keyhead h
            WHERE h.session_id = %(session)s AND m.branch IS NOT NULL
              AND h.key >= m.branch AND h.key < m.next
              AND (h.expires_at IS NULL OR h.expires_at > %(now)s)
            LIMIT %(most)s) x) c
 ORDER BY m.key
