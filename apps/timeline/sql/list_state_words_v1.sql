-- Sessions of which a version may hold messages in its state: as `projection/kept.py`.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
 WHERE s.kind = 'session'
   AND EXISTS (SELECT FROM timeline_version v
                WHERE v.session_id = s.id
                  AND (v.op = 'fork'
                       OR v.change_count > jsonb_array_length(v.changes)
                       OR v.changes @? '$[*].pointer ? (@ starts with "/messages")'))
    ON CONFLICT DO NOTHING;
