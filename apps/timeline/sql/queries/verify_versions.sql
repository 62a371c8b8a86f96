SELECT {{version_columns}}, v.reasoning_digest, v.step_digest,
       octet_length(own.data) AS stored_bytes,
       storing.commitment AS stored_commitment,
       target.body_number AS target_body_number,
       target.commitment AS target_commitment
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = %(session)s
  LEFT JOIN timeline_body b
    ON b.session_id = %(session)s AND b.number = v.body_number
  LEFT JOIN timeline_body own
    ON own.session_id = %(session)s AND own.number = v.number
  LEFT JOIN timeline_version storing
    ON storing.session_id = %(session)s AND storing.number = v.body_number
  LEFT JOIN timeline_version target
    ON target.session_id = %(session)s AND target.number = v.restored_number
 WHERE s.id = %(session)s AND v.number > %(after)s
 ORDER BY v.number LIMIT %(limit)s
