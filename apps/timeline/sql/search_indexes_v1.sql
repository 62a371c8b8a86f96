-- What search walks, newest session first, from one session to the next: equal entries
-- are stored once with a list of rows, so versions that repeat a path or a value cost
-- next to nothing. NULLS LAST says that no other index can give this order: a plan by
-- the primary key would pass all sessions between two that match. Role 4 is what a fork
-- brought along: held, but not changed.
CREATE INDEX timeline_change_by_value_at_path
    ON timeline_change (value_key, path_key, session_id DESC NULLS LAST)
 WHERE value_key IS NOT NULL;
CREATE INDEX timeline_change_by_any_value
    ON timeline_change (value_key, session_id DESC NULLS LAST)
 WHERE value_key IS NOT NULL;
CREATE INDEX timeline_change_by_path
    ON timeline_change (path_key, session_id DESC NULLS LAST)
 WHERE role < 4;
CREATE INDEX timeline_term_by_value_at_path
    ON timeline_term (path_key, value_key, session_id DESC NULLS LAST);
CREATE INDEX timeline_term_by_any_value
    ON timeline_term (value_key, session_id DESC NULLS LAST);
-- A short list of what is not in the index yet, 64 kB: a search reads all of it, small
-- installations keep it, and who writes and finds it full empties it.
CREATE INDEX timeline_text_words ON timeline_text USING gin (words)
  WITH (fastupdate = on, gin_pending_list_limit = 64);
