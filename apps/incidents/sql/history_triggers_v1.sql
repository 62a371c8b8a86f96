-- What was done with an incident is history: it is appended, and never changed.
CREATE TRIGGER incidents_entry_is_immutable
    BEFORE UPDATE OR DELETE ON incidents_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER incidents_entry_is_not_emptied
    BEFORE TRUNCATE ON incidents_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
