(SELECT 'label' AS kind, l.number, l.name AS text, l.actor_label AS actor, l.created_at
   FROM timeline_label l
  WHERE l.session_id = %(session)s AND l.number = ANY (%(numbers)s::bigint[])
  ORDER BY l.name LIMIT {{labels}})
UNION ALL
(SELECT 'note', n.number, n.text, n.actor_label, n.created_at FROM timeline_note n
  WHERE n.session_id = %(session)s
    AND (n.number = ANY (%(numbers)s::bigint[])
         OR n.number IS NULL
            AND n.created_at >= coalesce(%(since)s::timestamptz, '-infinity')
            AND n.created_at < coalesce(
                (SELECT v.created_at FROM timeline_version v
                  WHERE v.session_id = %(session)s AND v.number = %(after)s::bigint),
                'infinity'))
  ORDER BY n.id DESC LIMIT {{notes}})
UNION ALL
(SELECT 'fork', s.origin_number, s.id, '', s.created_at FROM timeline_session s
  WHERE s.origin_session_id = %(session)s
    AND s.origin_number = ANY (%(numbers)s::bigint[])
  ORDER BY s.id DESC LIMIT {{forks}})
