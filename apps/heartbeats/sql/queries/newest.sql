-- When a session wrote last, and whether it may write at all. A version and a turn are
-- each read from the end of their index. While its agent is suspended, or deleted, it
-- may not write: what is expected of it begins once that is over.
SELECT v.number, v.hold, v.op, greatest(v.created_at, t.created_at) AS wrote_at,
       s.expires_at <= %(now)s OR s.expired_at IS NOT NULL AS is_over,
       a.status <> 'active' AS is_suspended, a.activated_at
  FROM timeline_session s
  JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (SELECT h.number, h.hold, h.op, h.created_at FROM timeline_version h
                 WHERE h.session_id = %(session)s
                 ORDER BY h.number DESC LIMIT 1) v ON true
  LEFT JOIN LATERAL (SELECT u.created_at FROM timeline_turn u
                      WHERE u.session_id = %(session)s
                      ORDER BY u.turn_number DESC LIMIT 1) t ON true
 WHERE s.id = %(session)s AND s.kind = 'session'
