SELECT v.trace_id, v.created_at, e.changed, e.removed, e.config_changed, l.lapsed
  FROM timeline_version v
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE e.key <> '' AND e.body_number IS NOT NULL)
                  AS changed,
              count(*) FILTER (WHERE e.key <> '' AND e.body_number IS NULL) AS removed,
              coalesce(bool_or(e.key = ''), false) AS config_changed
         FROM timeline_entry e
        WHERE e.session_id = %(session)s AND e.number = v.number) e
 CROSS JOIN LATERAL (
       SELECT count(*) AS lapsed
         FROM timeline_keyed_restored_v1(
                  %(session)s, v.restored_number, v.number - 1, v.created_at, false,
                  true) r
        WHERE r.lapsed) l
 WHERE v.session_id = %(session)s AND v.number = %(number)s
