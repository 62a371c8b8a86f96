-- What stands for removed history is history itself.
CREATE TRIGGER timeline_tombstone_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_tombstone
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_tombstone_is_not_emptied
    BEFORE TRUNCATE ON timeline_tombstone
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
