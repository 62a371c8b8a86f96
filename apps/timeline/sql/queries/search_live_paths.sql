-- Ordered, though one will do: else a path that no version has reads the whole table.
SELECT k.path_key FROM unnest(%(paths)s::bytea[]) k (path_key)
 WHERE (SELECT true FROM timeline_change t
         WHERE t.path_key = k.path_key AND t.role < 4
         ORDER BY t.session_id DESC NULLS LAST LIMIT 1)
    OR EXISTS (SELECT FROM unnest(%(values)s::bytea[]) w (value_key)
                CROSS JOIN LATERAL (
                      SELECT FROM timeline_change t
                       WHERE t.value_key = w.value_key AND t.path_key = k.path_key
                       ORDER BY t.session_id DESC NULLS LAST LIMIT 1) one)
    OR EXISTS (SELECT FROM (SELECT path_keys FROM timeline_pending
                             ORDER BY session_id DESC, number DESC
                             LIMIT {{pending}}) p
                WHERE k.path_key = ANY (p.path_keys))
