SELECT e.session_id, e.key, e.number, e.ordinal, e.body_number, e.size, e.expires_at, e.cause,
       v.op, v.restored_number, v.actor_kind, v.actor_id, v.actor_label, v.reasoning,
       v.trace_id, v.created_at, b.commitment,
       coalesce(b.salt = '', false) AS is_emptied
  FROM timeline_entry e
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = e.number
  LEFT JOIN timeline_version b
    ON b.session_id = %(session)s AND b.number = e.body_number
 WHERE e.session_id = %(session)s
   {{wanted}}
