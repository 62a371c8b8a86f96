-- Bodies of the versions that go which others need: those that a kept version shows,
-- with the first such version, and those in their place that build on one that goes.
-- A version that was emptied needs none. One that is kept and shows a body that goes
-- shows another's, and is found among those that do.
SELECT b.number, k.number AS place, v.commitment
  FROM timeline_body b
  JOIN LATERAL (SELECT min(w.number) AS number FROM timeline_version w
                 WHERE w.session_id = %(session)s AND w.body_number = b.number
                   AND w.body_number <> w.number
                   AND w.number <> ALL (%(numbers)s::bigint[])
                   AND w.salt <> '') k
    ON k.number IS NOT NULL
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = k.number
 WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
   AND b.codec <> 0
 UNION ALL
SELECT b.number, b.number, v.commitment
  FROM timeline_body b
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = b.number
 WHERE b.session_id = %(session)s AND b.base_number = ANY (%(numbers)s::bigint[])
   AND b.number <> ALL (%(numbers)s::bigint[])
