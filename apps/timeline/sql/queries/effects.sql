-- Effects with what each has come to; the caller has looked the session up. A begun
-- one whose deadline is over reads as unknown.
SELECT e.session_id, e.id, e.key, e.tool, e.call_id, e.effect_class, e.arguments,
       e.arguments_size, e.undo, e.undo_until, e.takes_provider_key, e.number,
       e.source_session_id, e.source_effect_id, e.source_number, e.source_at,
       e.actor_label, e.created_at,
       CASE WHEN t.status = 'begun' AND t.deadline <= %(now)s THEN 'unknown'
            ELSE t.status END AS status,
       t.attempt, t.head_number, t.deadline, t.result, t.result_reference,
       t.result_digest, t.external_id, t.reason, t.actor_label AS updated_by,
       t.created_at AS updated_at
  FROM timeline_effect e
 CROSS JOIN LATERAL (
       SELECT n.* FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = e.id
        ORDER BY n.ordinal DESC LIMIT 1) t
 WHERE e.session_id = %(session)s
   AND {{which}}
   AND (%(class)s::text IS NULL
        OR coalesce(e.effect_class, 'irreversible') = %(class)s)
   AND (%(status)s::text IS NULL
        OR CASE WHEN t.status = 'begun' AND t.deadline <= %(now)s THEN 'unknown'
                ELSE t.status END = %(status)s)
 ORDER BY e.id DESC LIMIT %(limit)s
