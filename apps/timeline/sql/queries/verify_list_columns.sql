SELECT s.head_number, s.status, s.turn_count, s.rollback_count, s.facets,
       s.review, s.scores,
       (SELECT w.outcome FROM timeline_review w WHERE w.session_id = %(session)s
         ORDER BY w.ordinal DESC LIMIT 1) AS reviewed,
       (SELECT jsonb_object_agg(c.name, c.value) FROM timeline_score c
         WHERE c.session_id = %(session)s
           AND NOT EXISTS (SELECT FROM timeline_score l
                            WHERE l.session_id = %(session)s AND l.name = c.name
                              AND l.ordinal > c.ordinal)) AS scored,
       head.number, head.hold,
       head.hold = 'deleted' OR s.expired_at IS NOT NULL AS is_over,
       greatest((SELECT coalesce(max(t.turn_number), 0) FROM timeline_turn t
                  WHERE t.session_id = %(session)s), past.turns) AS turns,
       past.rollbacks + (SELECT count(*) FROM timeline_version r
         WHERE r.session_id = %(session)s AND r.restored_number IS NOT NULL
           AND r.undo_of IS NULL) AS rollbacks,
       (SELECT min(b.number) FROM timeline_body b
         WHERE b.session_id = %(session)s AND b.number > head.number) AS stray_body,
       coalesce((SELECT array_agg(f.number) FROM timeline_version f
         WHERE f.session_id = %(session)s AND f.flags <> '[]'
           AND f.op <> 'rollback'), '{}') AS flagged,
       open_kinds, open_numbers, open_facts, a.waiting AS waiting_rules,
       a.remap_after
  FROM timeline_session s
  LEFT JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (
       SELECT coalesce(array_agg(o.kind::text ORDER BY o.kind, o.number), '{}')
                AS open_kinds,
              coalesce(array_agg(o.number ORDER BY o.kind, o.number), '{}')
                AS open_numbers,
              coalesce(array_agg(o.project_id = s.project_id
                                 AND o.agent_id = s.agent_id
                                 AND o.at IS NOT DISTINCT FROM v.created_at), '{}')
                AS open_facts
         FROM timeline_open o
         LEFT JOIN timeline_version v
           ON v.session_id = %(session)s AND v.number = o.number
        WHERE o.session_id = %(session)s) opened ON true
  JOIN LATERAL (
       SELECT coalesce(max(d.last_turn), 0) AS turns,
              coalesce(sum(d.rollbacks), 0)::bigint AS rollbacks
         FROM timeline_tombstone d
        WHERE d.session_id = %(session)s AND d.kind <> 'emptied') past ON true
  JOIN LATERAL (SELECT h.number, h.hold FROM timeline_version h
                 WHERE h.session_id = %(session)s ORDER BY h.number DESC LIMIT 1) head ON true
 WHERE s.id = %(session)s
