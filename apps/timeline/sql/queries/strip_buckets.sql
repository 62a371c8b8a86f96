WITH bucket AS (
    SELECT i, i * (%(head)s::bigint + 1) / %(n)s AS low,
           (i + 1) * (%(head)s::bigint + 1) / %(n)s - 1 AS high
      FROM generate_series(0::bigint, %(n)s::bigint - 1) i),
fork AS MATERIALIZED (
    SELECT DISTINCT origin_number AS number FROM (
        SELECT s.origin_number FROM timeline_session s
         WHERE s.origin_session_id = %(session)s
         ORDER BY s.id DESC LIMIT {{forks_on_strip}}) newest)
SELECT bucket.low, bucket.high, v.size, flagged.number AS flagged,
       rollback.number AS rollback,
       (SELECT max(fork.number) FROM fork
         WHERE fork.number BETWEEN bucket.low AND bucket.high) AS fork
  FROM bucket
  JOIN LATERAL (
       SELECT one.size FROM timeline_version one
        WHERE one.session_id = %(session)s
          AND one.number BETWEEN bucket.low AND bucket.high
        ORDER BY one.number DESC LIMIT 1) v ON true
  LEFT JOIN LATERAL (
       SELECT f.number FROM timeline_version f
        WHERE f.session_id = %(session)s AND f.flags <> '[]'
          AND f.number BETWEEN bucket.low AND bucket.high
        ORDER BY f.number DESC LIMIT 1) flagged ON true
  LEFT JOIN LATERAL (
       SELECT r.number FROM timeline_version r
        WHERE r.session_id = %(session)s AND r.restored_number IS NOT NULL
          AND r.number BETWEEN bucket.low AND bucket.high
        ORDER BY r.number DESC LIMIT 1) rollback ON true
 ORDER BY bucket.low
