WITH RECURSIVE halves (low, high) AS (
    SELECT 0::bigint, %(head)s::bigint
    UNION ALL
    SELECT CASE WHEN v.created_at > %(at)s THEN h.low ELSE (h.low + h.high + 1) / 2 END,
           CASE WHEN v.created_at > %(at)s THEN v.number - 1 ELSE h.high END
      FROM halves h
      LEFT JOIN LATERAL (
           SELECT o.number, o.created_at FROM timeline_version o
            WHERE o.session_id = %(session)s AND o.number >= h.low
              AND o.number <= (h.low + h.high + 1) / 2
            ORDER BY o.number DESC LIMIT 1) v ON true
     WHERE h.low < h.high)
SELECT low AS number FROM halves WHERE low >= high
