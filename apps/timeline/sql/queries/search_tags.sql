SELECT 'flag' AS tag, jsonb_array_elements_text(v.flags) AS name
  FROM timeline_version v WHERE v.session_id = %(session)s
 UNION
SELECT 'truncated', '' FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.changes_truncated
 UNION
SELECT 'rolled_back', '' FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.op = 'rollback'
 UNION
SELECT 'unreasoned', v.op FROM timeline_version v
 WHERE v.session_id = %(session)s
   AND v.op IN ('update', 'replace', 'turn', 'rollback')
   AND btrim(coalesce(v.reasoning, ''), E' \t\n\r\x0b\x0c') = '' AND v.undo_of IS NULL
 UNION
SELECT 'external', v.external_id FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.external_id IS NOT NULL
 UNION
SELECT said.tag, said.name FROM timeline_version v
 CROSS JOIN LATERAL (
       VALUES ('release', v.release), ('model', v.model), ('op', v.op),
              ('step', v.step_number::text), ('objective', v.objective_status),
              ('reason', v.reason_code)) said (tag, name)
 WHERE v.session_id = %(session)s AND said.name IS NOT NULL
 UNION
SELECT 'label', l.name FROM timeline_label l WHERE l.session_id = %(session)s
 UNION
SELECT 'trace', given.trace_id
  FROM (SELECT v.trace_id FROM timeline_version v WHERE v.session_id = %(session)s
         UNION
        SELECT t.trace_id FROM timeline_turn t WHERE t.session_id = %(session)s) given
 WHERE NOT EXISTS (SELECT FROM audit_event e
                    WHERE e.stream_id = %(session)s AND e.id = given.trace_id)
