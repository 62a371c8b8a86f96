-- What a session read is history: it is appended, and never changed.
CREATE TRIGGER memory_contextread_is_immutable
    BEFORE UPDATE OR DELETE ON memory_contextread
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER memory_contextread_is_not_emptied
    BEFORE TRUNCATE ON memory_contextread
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
