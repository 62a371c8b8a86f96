-- Sessions whose head has tasks, or is of a schema, as `ledger/facts/tasked.py` and
-- `index.shaped` have it. Where a project encrypts, lists do not know of tasks; of a
-- state's own list they know what is short, up to 64 values of the state.
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
  LEFT JOIN accounts_project p ON p.id = s.project_id
 WHERE s.kind = 'session'
   AND (v.schema_version IS NOT NULL OR s.facets ? 'tasks' OR p.data_key IS NOT NULL
        OR EXISTS (SELECT FROM jsonb_object_keys(s.facets) k
                    WHERE starts_with(k, '/tasks/'))
        OR (SELECT count(*) >= 64 FROM jsonb_object_keys(s.facets)))
    ON CONFLICT DO NOTHING;
