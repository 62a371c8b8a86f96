SELECT s.head_number AS number, s.created_at, s.updated_at, t.config_ordinal,
       coalesce(c.number, 0) AS config_number,
       t.keys - e.keys AS keys, t.bytes - e.bytes AS bytes
  FROM timeline_session s
  JOIN timeline_tally t ON t.session_id = %(session)s
  LEFT JOIN timeline_keyhead c ON c.session_id = %(session)s AND c.key = ''
 CROSS JOIN LATERAL (
       SELECT count(*) AS keys, coalesce(sum(h.size), 0)::bigint AS bytes
         FROM timeline_keyhead h
        WHERE h.session_id = %(session)s AND h.expires_at <= %(now)s) e
 WHERE s.id = %(session)s
