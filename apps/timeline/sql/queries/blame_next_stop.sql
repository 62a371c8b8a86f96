WITH RECURSIVE live (rollback, restored, number, kind) AS (
    SELECT NULL::bigint, %(high)s::bigint, NULL::bigint, NULL::smallint
    UNION ALL
    SELECT r.number, r.restored_number, stop.number, stop.kind
      FROM live
      LEFT JOIN LATERAL (
           SELECT v.number, v.restored_number FROM timeline_version v
            WHERE v.session_id = %(session)s AND v.number <= live.restored
              AND v.restored_number IS NOT NULL
            ORDER BY v.number DESC LIMIT 1) r ON true
      CROSS JOIN LATERAL (
           SELECT coalesce(r.number + %(skip)s::bigint, 0) AS low) range
      LEFT JOIN LATERAL (
           (SELECT c.number, c.kind FROM timeline_change_current c
             WHERE c.session_id = %(session)s AND c.path_key = %(path)s
               AND c.number BETWEEN range.low AND live.restored
               AND (c.kind = 2) = %(absent)s::boolean AND c.role <> 4
             ORDER BY c.number DESC LIMIT 1)
           UNION ALL
           (SELECT c.number, NULL FROM unnest(%(lists)s::bytea[]) list (path_key)
             CROSS JOIN LATERAL (
                   SELECT s.number FROM timeline_change_current s
                    WHERE s.session_id = %(session)s AND s.path_key = list.path_key
                      AND s.number BETWEEN range.low AND live.restored
                      AND s.role = 3
                    ORDER BY s.number DESC LIMIT 1) c)
           UNION ALL
           (SELECT c.number, NULL FROM timeline_change_current c
             WHERE c.session_id = %(session)s AND c.path_key = %(holder)s::bytea
               AND c.number BETWEEN range.low AND live.restored AND c.kind <> 2
               AND c.role <> 4
             ORDER BY c.number DESC LIMIT 1)
           UNION ALL
           (SELECT t.number, NULL FROM timeline_version t
             WHERE t.session_id = %(session)s AND t.changes_truncated
               AND t.number BETWEEN range.low AND live.restored
             ORDER BY t.number DESC LIMIT 1)
           UNION ALL
           (SELECT thin.newest, NULL FROM (
                SELECT least(s.thinned_below - 1, live.restored) AS newest
                  FROM timeline_session s
                 WHERE s.id = %(session)s AND s.thinned_below IS NOT NULL) thin
             WHERE thin.newest >= range.low)
            ORDER BY 1 DESC, 2 NULLS FIRST LIMIT 1) stop ON true
     WHERE live.restored IS NOT NULL AND live.number IS NULL)
SELECT number, kind, CASE WHEN number = rollback THEN restored END AS restored
  FROM live WHERE number IS NOT NULL
