-- Failures of a subscription: they go on where its last one is not long ago.
UPDATE webhooks_subscription s
   SET failures = t.failures, failed_at = now(),
       failing_since = CASE WHEN t.is_on THEN s.failing_since ELSE now() END,
       resting_until = greatest(s.resting_until, CASE
           WHEN t.failures >= %(tired)s
           THEN now() + make_interval(secs => least(%(longest)s::float8,
                power(2, least(t.failures - %(tired)s, 20)))) END)
  FROM unnest(%(ids)s::text[], %(counts)s::int[]) AS r (id, n)
  JOIN webhooks_subscription b ON b.id = r.id
  CROSS JOIN LATERAL (
      SELECT b.failing_since IS NOT NULL
             AND coalesce(b.failed_at > now() - %(unbroken)s, false) AS is_on) o
  CROSS JOIN LATERAL (
      SELECT o.is_on, r.n + CASE WHEN o.is_on THEN b.failures ELSE 0 END AS failures) t
 WHERE s.id = r.id
RETURNING 1
