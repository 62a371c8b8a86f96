WITH due AS (
    SELECT l.subscription_id, l.stream_id
      FROM webhooks_subscription s
      CROSS JOIN LATERAL (
          SELECT w.subscription_id, w.stream_id, w.due_at FROM webhooks_lane w
           WHERE w.subscription_id = s.id AND w.due_at <= now()
           ORDER BY w.due_at
           LIMIT greatest(0, CASE WHEN s.failures >= %(tired)s THEN 1 ELSE %(each)s END
                 - (SELECT count(*) FROM unnest(%(busy)s::text[]) b WHERE b = s.id))
             FOR NO KEY UPDATE SKIP LOCKED) l
     WHERE s.status = 'enabled'
       AND (s.resting_until IS NULL OR s.resting_until <= now())
     ORDER BY l.due_at LIMIT %(room)s)
UPDATE webhooks_lane l SET claim = %(claim)s, due_at = now() + %(lease)s
  FROM due
 WHERE l.subscription_id = due.subscription_id AND l.stream_id = due.stream_id
RETURNING l.subscription_id, l.stream_id
