UPDATE webhooks_delivery d
   SET attempts = d.attempts + 1, attempted_at = now(),
       status_code = r.status_code, error = r.error, duration_ms = r.ms,
       first_failed_at = CASE WHEN r.is_done THEN d.first_failed_at
                              WHEN d.attempted_at < now() - %(unbroken)s THEN now()
                              ELSE coalesce(d.first_failed_at, now()) END,
       status = CASE
           WHEN r.is_done THEN 'delivered'
           WHEN r.is_vain THEN 'failed'
           WHEN d.first_failed_at < now() - %(patience)s
            AND d.attempted_at >= now() - %(unbroken)s
            AND s.last_delivered_at > now() - %(patience)s THEN 'failed'
           ELSE 'pending' END
  FROM unnest(%(ids)s::text[], %(ordinals)s::bigint[], %(done)s::bool[],
              %(vain)s::bool[], %(codes)s::int[], %(errors)s::text[], %(ms)s::int[])
       AS r (id, ordinal, is_done, is_vain, status_code, error, ms),
       webhooks_subscription s
 WHERE d.id = r.id AND d.ordinal = r.ordinal AND d.status = 'pending'
   AND s.id = d.subscription_id
RETURNING d.id, d.status
