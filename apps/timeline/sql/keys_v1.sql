-- Foreign keys inside a session, which Django cannot write for composite keys.
-- version -> body is deferred because one function inserts both; the others are
-- immediate, because a deferred violation on a distributed database surfaces at
-- commit as an internal error.
ALTER TABLE timeline_version
    ADD CONSTRAINT timeline_version_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_body
    ADD CONSTRAINT timeline_body_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_version
    ADD CONSTRAINT timeline_version_body_fk FOREIGN KEY (session_id, body_number)
    REFERENCES timeline_body (session_id, number) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE timeline_body
    ADD CONSTRAINT timeline_body_base_fk FOREIGN KEY (session_id, base_number)
    REFERENCES timeline_body (session_id, number);
ALTER TABLE timeline_change
    ADD CONSTRAINT timeline_change_version_fk FOREIGN KEY (session_id, number)
    REFERENCES timeline_version (session_id, number);
ALTER TABLE timeline_turn
    ADD CONSTRAINT timeline_turn_version_fk FOREIGN KEY (session_id, head_number)
    REFERENCES timeline_version (session_id, number);
ALTER TABLE timeline_label
    ADD CONSTRAINT timeline_label_version_fk FOREIGN KEY (session_id, number)
    REFERENCES timeline_version (session_id, number);
ALTER TABLE timeline_session
    ADD CONSTRAINT timeline_session_agent_fk FOREIGN KEY (agent_id)
    REFERENCES agents_agent (id);
-- Bodies are compressed already: TOAST must not try again.
ALTER TABLE timeline_body ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE timeline_turn ALTER COLUMN data SET STORAGE EXTERNAL;
-- Leave room on the page, so that touching the projection stays a heap-only update.
ALTER TABLE timeline_session SET (fillfactor = 70);
CREATE INDEX timeline_session_metadata
    ON timeline_session USING gin (metadata_index jsonb_path_ops);
CREATE INDEX timeline_session_facets
    ON timeline_session USING gin (facets jsonb_path_ops);
