-- What is undecided in some sessions, and by what it is told whether it still stands:
-- the session, and the rollbacks that may have set it aside.
SELECT u.session_id, u.approval_id, u.number, a.created_at, a.expires_at, a.on_expiry,
       s.status, s.expires_at AS session_ends_at, s.expired_at, s.head_number,
       array_agg(v.number ORDER BY v.number DESC)
           FILTER (WHERE v.number IS NOT NULL) AS rollbacks,
       array_agg(v.restored_number ORDER BY v.number DESC)
           FILTER (WHERE v.number IS NOT NULL) AS restored
  FROM approvals_undecided u
  JOIN approvals_approval a ON a.session_id = u.session_id AND a.id = u.approval_id
  JOIN timeline_session s ON s.id = u.session_id
  LEFT JOIN timeline_version v
    ON v.session_id = s.id AND v.restored_number IS NOT NULL
 WHERE u.session_id = ANY (%(ids)s::varchar[])
 GROUP BY u.session_id, u.approval_id, u.number, a.created_at, a.expires_at,
          a.on_expiry, s.status, s.expires_at, s.expired_at, s.head_number
 LIMIT %(limit)s
