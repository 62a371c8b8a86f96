-- Sessions of which some version says no reason: as `ledger/facts/reasons.py`.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
 WHERE s.kind = 'session'
   AND EXISTS (SELECT FROM timeline_version v
                WHERE v.session_id = s.id
                  AND v.op IN ('update', 'replace', 'turn', 'rollback')
                  AND v.undo_of IS NULL
                  AND btrim(coalesce(v.reasoning, ''), E' \t\n\r\x0b\x0c') = '')
    ON CONFLICT DO NOTHING;
