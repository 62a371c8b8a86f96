SELECT s.id, count(*) AS versions,
       count(*) FILTER (WHERE v.op = ANY (%(reasoned)s::text[])
                          AND v.undo_of IS NULL) AS to_reason,
       count(*) FILTER (WHERE v.op = ANY (%(reasoned)s::text[]) AND v.undo_of IS NULL
                          AND btrim(coalesce(v.reasoning, ''),
                                    E' \t\n\r\x0b\x0c') = '') AS unreasoned,
       count(*) FILTER (WHERE v.number > 0 AND v.change_count = 0
                          AND v.op IN ('update', 'replace', 'turn')) AS idle,
       count(*) FILTER (WHERE v.op = 'rollback' AND v.undo_of IS NULL) AS rollbacks,
       coalesce(sum(octet_length(b.data)), 0)::bigint AS bytes
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id
   AND v.number > s.head_number - %(each)s
  LEFT JOIN timeline_body b ON b.session_id = v.session_id AND b.number = v.number
 WHERE s.id = ANY (%(ids)s::varchar[])
 GROUP BY s.id LIMIT %(most)s
