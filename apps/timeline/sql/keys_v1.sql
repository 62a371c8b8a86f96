-- Foreign keys inside a session, which Django cannot write for composite keys. They are
-- immediate, because a deferred violation on a distributed database surfaces at commit
-- as an internal error.
--
-- None is on the way of an append but that of a version to its session: four a version
-- and one a change were a fifth of the function. What a version shows is looked for by
-- the function, under the session's lock; everything else it inserts itself, in one
-- transaction. Without its session nothing would look for a version.
ALTER TABLE timeline_version
    ADD CONSTRAINT timeline_version_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_label
    ADD CONSTRAINT timeline_label_version_fk FOREIGN KEY (session_id, number)
    REFERENCES timeline_version (session_id, number);
ALTER TABLE timeline_note
    ADD CONSTRAINT timeline_note_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_note
    ADD CONSTRAINT timeline_note_version_fk FOREIGN KEY (session_id, number)
    REFERENCES timeline_version (session_id, number);
ALTER TABLE timeline_pendingwrite
    ADD CONSTRAINT timeline_pendingwrite_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_hiddenversions
    ADD CONSTRAINT timeline_hiddenversions_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_session
    ADD CONSTRAINT timeline_session_agent_fk FOREIGN KEY (agent_id)
    REFERENCES agents_agent (id);
-- Bodies are compressed already: TOAST must not try again.
ALTER TABLE timeline_body ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE timeline_turn ALTER COLUMN data SET STORAGE EXTERNAL;
-- Leave room on the page, so that touching the projection stays a heap-only update.
ALTER TABLE timeline_session SET (fillfactor = 70);
-- Rows live for a moment: without this they would be dead ones in the way.
ALTER TABLE timeline_pending SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
CREATE INDEX timeline_session_metadata
    ON timeline_session USING gin (metadata_index jsonb_path_ops);
