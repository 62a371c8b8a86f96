-- Effects beside a rollback, each with what is owed for it, if something is.
SELECT e.id, e.key, e.tool, e.call_id, e.effect_class,
       substr(e.arguments, 1, 400) AS arguments_start, e.arguments_size,
       substr(e.undo, 1, 400) AS undo_start, e.undo_until,
       CASE WHEN t.status = 'begun' AND t.deadline <= %(now)s THEN 'unknown'
            ELSE t.status END AS status,
       t.attempt, t.head_number, t.created_at AS at, c.rollback_number,
       CASE WHEN c.effect_id IS NOT NULL THEN coalesce(k.status, 'open') END
           AS compensation,
       k.reason, k.actor_label AS compensated_by, k.created_at AS compensated_at
  FROM timeline_effect e
 CROSS JOIN LATERAL (
       SELECT n.* FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) t
  LEFT JOIN timeline_compensation c
    ON c.session_id = %(session)s AND c.effect_id = e.id
  LEFT JOIN LATERAL (
       SELECT n.* FROM timeline_compensationstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) k ON true
 WHERE e.session_id = %(session)s
   AND {{which}}
 ORDER BY e.id LIMIT %(limit)s::bigint
