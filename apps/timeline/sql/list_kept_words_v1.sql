-- A body that has messages is at least 70 bytes longer than its state: the table of its
-- parts, and a list of one item.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
 WHERE s.kind = 'session'
   AND EXISTS (SELECT FROM timeline_version v
                 JOIN timeline_body b
                   ON b.session_id = v.session_id AND b.number = v.number
                WHERE v.session_id = s.id AND b.size >= v.size + 70)
    ON CONFLICT DO NOTHING;
