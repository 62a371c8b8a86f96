-- Versions without the turn that made them, and turns that no number counts. One
-- statement: a version and its turn become visible at once.
SELECT v.number, NULL::bigint AS turn_number
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.op = 'turn'
   AND NOT EXISTS (SELECT FROM timeline_turn t
                    WHERE t.session_id = %(session)s AND t.head_number = v.number
                      AND t.made_version)
 UNION ALL
SELECT NULL, t.turn_number
  FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.turn_number < 1
 ORDER BY 1, 2
