-- Keys and triggers of effects: what was begun outside stays, and so does what came of
-- it. The steps' key is the order in which they were written.
ALTER TABLE timeline_effect
    ADD CONSTRAINT timeline_effect_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_effectstep
    ADD CONSTRAINT timeline_effectstep_effect_fk FOREIGN KEY (session_id, effect_id)
    REFERENCES timeline_effect (session_id, id);
ALTER TABLE timeline_effectdue
    ADD CONSTRAINT timeline_effectdue_effect_fk FOREIGN KEY (session_id, effect_id)
    REFERENCES timeline_effect (session_id, id);
CREATE TRIGGER timeline_effect_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_effect
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_effectstep_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_effectstep
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_effect_is_not_emptied
    BEFORE TRUNCATE ON timeline_effect
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_effectstep_is_not_emptied
    BEFORE TRUNCATE ON timeline_effectstep
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
