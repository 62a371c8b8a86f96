-- Keys and triggers of compensations: what was owed stays, and so does what became of it.
ALTER TABLE timeline_compensation
    ADD CONSTRAINT timeline_compensation_effect_fk FOREIGN KEY (session_id, effect_id)
    REFERENCES timeline_effect (session_id, id);
ALTER TABLE timeline_compensationstep
    ADD CONSTRAINT timeline_compensationstep_fk FOREIGN KEY (session_id, effect_id)
    REFERENCES timeline_compensation (session_id, effect_id);
CREATE TRIGGER timeline_compensation_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_compensation
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_compensationstep_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_compensationstep
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_compensation_is_not_emptied
    BEFORE TRUNCATE ON timeline_compensation
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_compensationstep_is_not_emptied
    BEFORE TRUNCATE ON timeline_compensationstep
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
