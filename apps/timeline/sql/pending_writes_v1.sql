-- What a task wrote for the step after a checkpoint, and which versions a checkpointer
-- has deleted for itself. Both belong to their session and are never changed.
ALTER TABLE timeline_pendingwrite
    ADD CONSTRAINT timeline_pendingwrite_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
CREATE TRIGGER timeline_pendingwrite_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_pendingwrite
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();

ALTER TABLE timeline_hiddenversions
    ADD CONSTRAINT timeline_hiddenversions_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
CREATE TRIGGER timeline_hiddenversions_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_hiddenversions
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();
