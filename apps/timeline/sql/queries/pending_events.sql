-- The events of these rows, in the order of each session's versions and turns.
SELECT {{columns}}
  FROM unnest(%(sessions)s::varchar[], %(numbers)s::bigint[], %(turns)s::bigint[])
    AS k (session_id, number, turn_number)
  JOIN timeline_pending p USING (session_id, number, turn_number)
 CROSS JOIN LATERAL unnest(p.event_ids) WITH ORDINALITY AS i (id, place)
  JOIN audit_event e ON e.stream_id = p.session_id AND e.id = i.id
 ORDER BY p.session_id, p.number, p.turn_number, i.place
