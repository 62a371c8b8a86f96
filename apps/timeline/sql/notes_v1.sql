-- Notes belong to their session and, where they name one, to a version of it. They are
-- evidence: what was written down is not edited afterwards.
ALTER TABLE timeline_note
    ADD CONSTRAINT timeline_note_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_note
    ADD CONSTRAINT timeline_note_version_fk FOREIGN KEY (session_id, number)
    REFERENCES timeline_version (session_id, number);
CREATE TRIGGER timeline_note_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_note
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();
