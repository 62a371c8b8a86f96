-- What a rollback goes behind: how many there are, and the ids of the first, unknown
-- first, then by class and window. What an earlier one has crossed is not crossed again.
-- OFFSET keeps the join from being planned for the few rows that a condition behind it
-- seems to leave: then each effect would be looked up by itself.
SELECT count(*) AS n_all, count(*) FILTER (WHERE is_owed) AS n_owed,
       coalesce(bool_or(is_owed AND (is_unknown OR effect_class = 'irreversible')), false)
           AS is_grave,
       (array_agg(id ORDER BY gravity, undo_until NULLS LAST, at, id))[:%(limit)s::int]
           AS ids,
       array_agg(id ORDER BY gravity, undo_until NULLS LAST, at, id)
           FILTER (WHERE call = ANY (%(calls)s::text[])) AS called_ids
  FROM (SELECT f.*, CASE WHEN is_unknown AND is_owed THEN 0
                         WHEN effect_class = 'compensable' THEN 2
                         WHEN effect_class = 'reversible' THEN 3
                         WHEN effect_class = 'read' THEN 4
                         ELSE 1 END AS gravity
          FROM (SELECT b.*, coalesce(b.effect_class, '') <> 'read' AS is_owed,
                       b.status IN ('begun', 'unknown') AS is_unknown
                  FROM (SELECT e.id, e.undo_until, e.effect_class, t.at, t.status,
                               t.head_number, coalesce(e.call_id, e.key) AS call
                          FROM (SELECT DISTINCT ON (n.effect_id) n.effect_id, n.status,
                                       n.head_number, n.created_at AS at
                                  FROM timeline_effectstep n
                                 WHERE n.session_id = %(session)s
                                 ORDER BY n.effect_id, n.ordinal DESC) t
                          JOIN timeline_effect e
                            ON e.session_id = %(session)s AND e.id = t.effect_id
                        OFFSET 0) b
                 WHERE b.status NOT IN ('failed', 'reused')
                   AND b.head_number <@ (
                       SELECT range_agg(int8range(low, high))
                         FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[])
                              aside (low, high) WHERE low < high)
                   AND b.id NOT IN (SELECT c.effect_id FROM timeline_compensation c
                                     WHERE c.session_id = %(session)s)) f) f
 WHERE is_owed OR NOT %(owed_only)s::boolean
