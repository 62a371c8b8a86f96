-- What blame reads besides the rows of a path. Both are small: few versions are
-- truncated, and few lists shift.
CREATE INDEX timeline_change_shifts ON timeline_change (session_id, path_key, number)
 WHERE role = 3;
CREATE INDEX timeline_version_truncated ON timeline_version (session_id, number)
 WHERE changes_truncated;
