-- Of these turns, those that may say what their session is about: none said it before.
SELECT t.session_id, t.codec, t.data, t.size
  FROM unnest(%(sessions)s::varchar[], %(turns)s::bigint[])
    AS k (session_id, turn_number)
  JOIN timeline_turn t USING (session_id, turn_number)
 WHERE NOT EXISTS (
       SELECT FROM timeline_opening o WHERE o.session_id = k.session_id)
 ORDER BY t.session_id, t.turn_number
