-- Keys and triggers of what was forgotten: a forgetting is said once, and stays.
ALTER TABLE timeline_forgetting
    ADD CONSTRAINT timeline_forgetting_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
CREATE TRIGGER timeline_forgetting_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_forgetting
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_forgetting_is_not_emptied
    BEFORE TRUNCATE ON timeline_forgetting
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_agentforgetting_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_agentforgetting
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_agentforgetting_is_not_emptied
    BEFORE TRUNCATE ON timeline_agentforgetting
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
