-- Everything that is history of a session refuses to be changed: also turns, which were
-- never changed by anybody, and the names and idempotency keys that stand for a session
-- for ever.
CREATE TRIGGER timeline_version_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_version
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_body_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_body
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_turn_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_turn
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_note_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_note
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_pendingwrite_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_pendingwrite
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_hiddenversions_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_hiddenversions
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_sessionname_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_sessionname
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_requestkey_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_requestkey
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_version_is_not_emptied
    BEFORE TRUNCATE ON timeline_version
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_body_is_not_emptied
    BEFORE TRUNCATE ON timeline_body
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_turn_is_not_emptied
    BEFORE TRUNCATE ON timeline_turn
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_note_is_not_emptied
    BEFORE TRUNCATE ON timeline_note
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_pendingwrite_is_not_emptied
    BEFORE TRUNCATE ON timeline_pendingwrite
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_hiddenversions_is_not_emptied
    BEFORE TRUNCATE ON timeline_hiddenversions
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_sessionname_is_not_emptied
    BEFORE TRUNCATE ON timeline_sessionname
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_requestkey_is_not_emptied
    BEFORE TRUNCATE ON timeline_requestkey
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
