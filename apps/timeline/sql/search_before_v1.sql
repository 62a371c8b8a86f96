-- Sessions from before there was a search are found in part only, until
-- `manage.py rebuild_search` has read them. Until then a search says so.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT id, project_id FROM timeline_session;
