-- Project rows of timeline_pending that the caller holds: write their change rows, terms
-- and texts, and take them away. A reasoning that an encrypting project has sealed is no
-- text: it begins with a character that none begins with.
CREATE FUNCTION timeline_project_v2(
    _sessions varchar[], _numbers bigint[], _turns bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO timeline_change (session_id, path_key, number, role, kind, value_key)
    SELECT p.session_id, c.path_key, p.first_number + coalesce(c.item, 1) - 1, c.role,
           c.kind, c.value_key
      FROM unnest(_sessions, _numbers, _turns) k (session_id, number, turn_number)
      JOIN timeline_pending p USING (session_id, number, turn_number)
     CROSS JOIN LATERAL unnest(p.items, p.path_keys, p.roles, p.kinds, p.value_keys)
        AS c (item, path_key, role, kind, value_key)
        -- A row that is there already must not stop everybody; `verify` compares it.
        ON CONFLICT DO NOTHING;

    WITH newest AS MATERIALIZED (
        SELECT DISTINCT ON (p.session_id, t.path_key)
               p.session_id, t.path_key, t.value_key
          FROM unnest(_sessions, _numbers, _turns) k (session_id, number, turn_number)
          JOIN timeline_pending p USING (session_id, number, turn_number)
         CROSS JOIN LATERAL unnest(p.term_keys, p.term_values) t (path_key, value_key)
         ORDER BY p.session_id, t.path_key, p.number DESC, p.turn_number DESC
    ), gone AS (
        DELETE FROM timeline_term t USING newest n
         WHERE t.session_id = n.session_id AND t.path_key = n.path_key
           AND n.value_key IS NULL
    )
    INSERT INTO timeline_term AS t (session_id, path_key, value_key)
    SELECT n.session_id, n.path_key, n.value_key FROM newest n
     WHERE n.value_key IS NOT NULL
        ON CONFLICT (session_id, path_key) DO UPDATE SET value_key = excluded.value_key
     WHERE t.value_key <> excluded.value_key;

    INSERT INTO timeline_text (session_id, kind, number, words)
    SELECT p.session_id, 1, v.number, timeline_words_v1(p.project_id, v.reasoning)
      FROM unnest(_sessions, _numbers, _turns) k (session_id, number, turn_number)
      JOIN timeline_pending p USING (session_id, number, turn_number)
      JOIN timeline_version v ON v.session_id = p.session_id
                             AND v.number BETWEEN p.first_number AND p.number
     WHERE v.reasoning <> '' AND NOT starts_with(v.reasoning, E'\uFDD0sealed:')
     UNION ALL
    SELECT p.session_id, 2, t.turn_number,
           timeline_words_v1(p.project_id, concat_ws(E'\n', said.reasoning, p.turn_text))
      FROM unnest(_sessions, _numbers, _turns) k (session_id, number, turn_number)
      JOIN timeline_pending p USING (session_id, number, turn_number)
      JOIN timeline_turn t ON t.session_id = p.session_id
                          AND t.turn_number = p.turn_number
     CROSS JOIN LATERAL (
           SELECT CASE WHEN NOT starts_with(t.reasoning, E'\uFDD0sealed:')
                       THEN t.reasoning END AS reasoning) said
     WHERE p.turn_number > 0
       AND concat_ws(E'\n', said.reasoning, p.turn_text) <> ''
        ON CONFLICT (session_id, kind, number) DO UPDATE SET words = excluded.words;

    DELETE FROM timeline_pending p
     USING unnest(_sessions, _numbers, _turns) k (session_id, number, turn_number)
     WHERE p.session_id = k.session_id AND p.number = k.number
       AND p.turn_number = k.turn_number;
END
$$;
