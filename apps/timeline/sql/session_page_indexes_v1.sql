-- What the page of one session reads beside its versions: the turns around a version
-- (blame asks for some of them), and which versions have flags, which are few.
CREATE INDEX timeline_turn_by_head ON timeline_turn (session_id, head_number);
CREATE INDEX timeline_version_flagged ON timeline_version (session_id, number)
 WHERE flags <> '[]';
