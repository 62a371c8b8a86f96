-- Where the end of an effect is waited for otherwise than its last step says: what is
-- listed, and what that step is. One statement, so that a finish in between cannot make
-- the two sides differ. In a session that is over nothing needs to be waited for.
SELECT e.id AS effect_id, t.status, t.deadline, d.due_at,
       d.effect_id IS NOT NULL AS is_listed
  FROM timeline_effect e
 CROSS JOIN LATERAL (
       SELECT n.status, n.deadline FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) t
  LEFT JOIN timeline_effectdue d
    ON d.session_id = %(session)s AND d.effect_id = e.id
 CROSS JOIN (
       SELECT s.expired_at IS NOT NULL OR EXISTS (
              SELECT FROM timeline_version v
               WHERE v.session_id = %(session)s AND v.hold = 'deleted') AS is_over
         FROM timeline_session s WHERE s.id = %(session)s) o
 WHERE e.session_id = %(session)s
   AND CASE WHEN t.status = 'begun'
            THEN d.due_at IS DISTINCT FROM t.deadline
             AND NOT (o.is_over AND d.effect_id IS NULL)
            ELSE d.effect_id IS NOT NULL END
 ORDER BY e.id LIMIT %(limit)s::bigint
