INSERT INTO timeline_pendingwrite (
    session_id, checkpoint_id, task_id, index, attempt, task_path, channel, type, data,
    created_at)
SELECT %(session)s, %(checkpoint)s, %(task)s, w.index, coalesce(past.attempt + 1, 0),
       %(path)s, w.channel, w.type, w.data, %(now)s
  FROM unnest(%(indexes)s::int[], %(channels)s::text[], %(types)s::text[],
              %(data)s::bytea[]) w (index, channel, type, data)
  LEFT JOIN LATERAL (
       SELECT p.attempt, p.channel, p.type, p.data FROM timeline_pendingwrite p
        WHERE p.session_id = %(session)s AND p.checkpoint_id = %(checkpoint)s
          AND p.task_id = %(task)s AND p.index = w.index
        ORDER BY p.attempt DESC LIMIT 1) past ON true
 WHERE past.attempt IS NULL
    OR %(replace)s AND (past.channel, past.type, past.data)
                       IS DISTINCT FROM (w.channel, w.type, w.data)
RETURNING 1
