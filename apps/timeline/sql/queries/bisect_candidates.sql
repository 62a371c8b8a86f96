SELECT c.number FROM timeline_change_current c
 WHERE c.session_id = %(session)s AND c.path_key = ANY (%(paths)s::bytea[])
   AND c.role < 4 AND c.number BETWEEN %(low)s::bigint AND %(high)s::bigint
 UNION
SELECT v.number FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.changes_truncated
   AND v.number BETWEEN %(low)s::bigint AND %(high)s::bigint
 UNION
SELECT v.number FROM timeline_version v
  JOIN timeline_body b ON b.session_id = %(session)s AND b.number = v.body_number
 WHERE v.session_id = %(session)s AND b.salt <> ''::bytea
   AND v.number BETWEEN %(low)s::bigint AND %(high)s::bigint
   AND v.number < %(thinned)s::bigint
 ORDER BY 1 DESC LIMIT %(most)s
