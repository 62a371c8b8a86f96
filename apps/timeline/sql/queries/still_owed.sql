-- How many compensations are open whose effects none of these stretches know of.
SELECT count(*) AS count
  FROM timeline_compensation c
  LEFT JOIN (SELECT DISTINCT ON (n.effect_id) n.effect_id, n.status
               FROM timeline_compensationstep n
              WHERE n.session_id = %(session)s
              ORDER BY n.effect_id, n.ordinal DESC) k ON k.effect_id = c.effect_id
 CROSS JOIN LATERAL (
       SELECT n.head_number FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = c.effect_id
        ORDER BY n.ordinal DESC LIMIT 1) t
 WHERE c.session_id = %(session)s
   AND coalesce(k.status, 'open') NOT IN ('done', 'waived')
   AND NOT EXISTS (
       SELECT FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) known (low, high)
        WHERE t.head_number BETWEEN known.low AND known.high)
