-- The next turns, with the versions that they name: as many as have some megabytes.
SELECT t.session_id, t.turn_number, t.id, t.head_number, t.made_version,
       t.before_number, t.state_after_sent, t.actor_kind, t.actor_id, t.reasoning,
       t.trace_id, t.input_type, t.output_type, t.codec, t.data, t.size, t.request_key,
       t.salt, t.reasoning_digest, t.commitment, t.leaf, t.chain, t.requested_at,
       t.created_at, s.project_id, v.op AS head_op, v.created_at AS head_created_at,
       t.usage, t.spent
  FROM (SELECT n.*, sum(octet_length(n.data)) OVER (ORDER BY n.turn_number)
                      - octet_length(n.data) AS bytes_before
          FROM timeline_turn n
         WHERE n.session_id = %(session)s AND n.turn_number > %(after)s
         ORDER BY n.turn_number LIMIT %(limit)s) t
  JOIN timeline_session s ON s.id = %(session)s
  LEFT JOIN timeline_version v
    ON v.session_id = %(session)s AND v.number = t.head_number
 WHERE t.bytes_before < %(bytes)s
 ORDER BY t.turn_number
