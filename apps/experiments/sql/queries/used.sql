-- What a fork has used and done since it began.
SELECT (SELECT t.spent FROM timeline_turn t
         WHERE t.session_id = %(session)s AND t.spent IS NOT NULL
         ORDER BY t.turn_number DESC LIMIT 1) AS spent,
       (SELECT count(*) FROM timeline_version v
         WHERE v.session_id = %(session)s AND v.flags <> '[]') AS flagged,
       count(*) AS effects,
       count(*) FILTER (WHERE e.effect_class IS NULL
                           OR e.effect_class = 'irreversible') AS irreversible
  FROM timeline_effect e
 WHERE e.session_id = %(session)s AND e.effect_class IS DISTINCT FROM 'read'
   AND e.source_effect_id IS NULL
