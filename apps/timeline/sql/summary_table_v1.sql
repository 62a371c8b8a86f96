-- Keys and triggers of summaries: what was summarised stays, and so does the summary.
ALTER TABLE timeline_summary
    ADD CONSTRAINT timeline_summary_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_summary
    ADD CONSTRAINT timeline_summary_first_turn_fk FOREIGN KEY (session_id, first_turn)
    REFERENCES timeline_turn (session_id, turn_number);
ALTER TABLE timeline_summary
    ADD CONSTRAINT timeline_summary_last_turn_fk FOREIGN KEY (session_id, last_turn)
    REFERENCES timeline_turn (session_id, turn_number);
CREATE TRIGGER timeline_summary_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_summary
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_summary_is_not_emptied
    BEFORE TRUNCATE ON timeline_summary
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
