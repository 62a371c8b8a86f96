SELECT s.head_number, t.keys, t.bytes, t.config_ordinal,
       (SELECT max(v.number) FROM timeline_version v WHERE v.session_id = %(session)s)
           AS number,
       h.keys AS keys_found, h.bytes AS bytes_found,
       coalesce((SELECT max(e.ordinal) FROM timeline_entry e
                  WHERE e.session_id = %(session)s AND e.key = ''), 0) AS config_found
  FROM timeline_session s
  LEFT JOIN timeline_tally t ON t.session_id = %(session)s
 CROSS JOIN (SELECT count(*) AS keys, coalesce(sum(k.size), 0)::bigint AS bytes
               FROM timeline_keyhead k
              WHERE k.session_id = %(session)s AND k.key <> '') h
 WHERE s.id = %(session)s
