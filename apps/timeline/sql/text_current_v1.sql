-- As current_views_v1 has it, in place of what text_current_v2 has.
-- Kinds: 1 reasoning of a version, 2 turn, 3 labels of a version, which never wait.
CREATE OR REPLACE VIEW timeline_text_current WITH (security_invoker = true) AS
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
