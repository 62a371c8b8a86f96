-- What blame reads besides the rows of a path. All three are small: few versions are
-- truncated, few lists shift, and a turn makes one version.
CREATE INDEX timeline_change_shifts ON timeline_change (session_id, path_key, number)
 WHERE role = 3;
CREATE INDEX timeline_version_truncated ON timeline_version (session_id, number)
 WHERE changes_truncated;
CREATE INDEX timeline_turn_by_version ON timeline_turn (session_id, head_number)
 WHERE made_version;
