-- What each fork's chain goes on from, of those whose origin is there.
UPDATE timeline_session s SET origin_chain = v.chain
  FROM timeline_version v
 WHERE v.session_id = s.origin_session_id AND v.number = s.origin_number;
