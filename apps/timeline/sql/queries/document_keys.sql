SELECT count(*) AS keys FROM (
    SELECT 1 FROM timeline_keyhead h
     WHERE h.session_id = %(session)s AND h.key <> '' AND h.key >= %(first)s::text
       AND h.key < %(before)s::text
       AND (h.expires_at IS NULL OR h.expires_at > %(now)s)
     LIMIT %(most)s) k
