SELECT h.key, h.number, h.ordinal, h.body_number, h.size, h.created_at, h.updated_at,
       h.expires_at, v.commitment
  FROM timeline_keyhead h
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = h.body_number
 WHERE h.session_id = %(session)s
   AND (h.expires_at IS NULL OR h.expires_at > %(now)s)
   {{wanted}}
