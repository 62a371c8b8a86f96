-- Of what is to be projected, the versions with a body of their own that may bring
-- messages, beside its state or in it, and what the version before each of them shows.
SELECT p.session_id, p.number AS row_number, p.turn_number AS row_turn, p.project_id,
       v.number, v.commitment, b.size,
       o.body_number AS before_number, o.commitment AS before_commitment
  FROM timeline_pending p
  JOIN timeline_version v
    ON v.session_id = p.session_id AND v.number BETWEEN p.first_number AND p.number
  JOIN timeline_body b ON b.session_id = p.session_id AND b.number = v.number
  LEFT JOIN timeline_version o
    ON o.session_id = p.session_id AND o.number = v.number - 1
 WHERE p.session_id = ANY (%(sessions)s::varchar[])
   AND (p.session_id, p.number, p.turn_number)
       BETWEEN (%(session)s::varchar, %(number)s::bigint, %(turn)s::bigint)
           AND (%(last_session)s::varchar, %(last_number)s::bigint, %(last_turn)s::bigint)
   AND {{holds}}
 ORDER BY p.session_id, p.number, p.turn_number, v.number
 LIMIT {{most}}
