-- Names are found by their beginning, too: beside whole names, sessions are marked with
-- the first characters of those of their versions. Who has such versions from before is
-- found in part only, until `manage.py rebuild_search` has read them. Until then a
-- search says so.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
 WHERE EXISTS (SELECT FROM timeline_version v
                WHERE v.session_id = s.id AND v.external_id IS NOT NULL)
    ON CONFLICT DO NOTHING;
