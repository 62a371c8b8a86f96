SELECT t.session_id, t.turn_number, t.id, t.head_number, t.made_version, t.reasoning,
       t.actor_label, t.created_at, t.codec, t.size, t.salt,
       CASE WHEN t.size <= {{turn_bytes}} THEN t.data END AS data
  FROM timeline_turn t
 WHERE t.session_id = %(session)s
