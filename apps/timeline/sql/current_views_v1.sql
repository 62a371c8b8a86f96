-- What the projector has written and what still waits for it, together: whoever reads
-- change rows, terms or words of a session through these gets the same answer before
-- and after a row is projected, because both are one snapshot. They are for one
-- session, named by a parameter or by a LATERAL: then each arm is a read by its key. As
-- the other side of a join all that is pending would be read.
CREATE VIEW timeline_change_current WITH (security_invoker = true) AS
SELECT c.session_id, c.path_key, c.number, c.role, c.kind, c.value_key
  FROM timeline_change c
 UNION ALL
SELECT p.session_id, c.path_key, p.first_number + coalesce(c.item, 1) - 1, c.role,
       c.kind, c.value_key
  FROM timeline_pending p
 CROSS JOIN LATERAL unnest(p.items, p.path_keys, p.roles, p.kinds, p.value_keys)
    AS c (item, path_key, role, kind, value_key);

-- A session has one value under a path: the newest that is pending, or what is there.
CREATE VIEW timeline_term_current WITH (security_invoker = true) AS
SELECT t.session_id, t.path_key, t.value_key
  FROM timeline_term t
 WHERE NOT EXISTS (SELECT FROM timeline_pending p
                    WHERE p.session_id = t.session_id
                      AND t.path_key = ANY (p.term_keys))
 UNION ALL
SELECT p.session_id, t.path_key, t.value_key
  FROM timeline_pending p
 CROSS JOIN LATERAL unnest(p.term_keys, p.term_values) AS t (path_key, value_key)
 WHERE t.value_key IS NOT NULL
   AND NOT EXISTS (SELECT FROM timeline_pending l
                    WHERE l.session_id = p.session_id
                      AND (l.number, l.turn_number) > (p.number, p.turn_number)
                      AND t.path_key = ANY (l.term_keys));

-- Kinds: 1 reasoning of a version, 2 turn, 3 labels of a version, which never wait.
CREATE VIEW timeline_text_current WITH (security_invoker = true) AS
SELECT t.session_id, t.kind, t.number, t.words FROM timeline_text t
 UNION ALL
SELECT p.session_id, 1::smallint, v.number,
       timeline_words_v1(p.project_id, v.reasoning)
  FROM timeline_pending p
  JOIN timeline_version v ON v.session_id = p.session_id
                         AND v.number BETWEEN p.first_number AND p.number
 WHERE v.reasoning <> ''
 UNION ALL
SELECT p.session_id, 2::smallint, t.turn_number,
       timeline_words_v1(p.project_id, concat_ws(E'\n', t.reasoning, p.turn_text))
  FROM timeline_pending p
  JOIN timeline_turn t ON t.session_id = p.session_id
                      AND t.turn_number = p.turn_number
 WHERE p.turn_number > 0 AND concat_ws(E'\n', t.reasoning, p.turn_text) <> '';
