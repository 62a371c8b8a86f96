-- What stands for removed history is history itself, which nobody changes: retention
-- does not either, and so does not own what it says it took.
CREATE TRIGGER timeline_tombstone_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_tombstone
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();
CREATE TRIGGER timeline_tombstone_is_not_emptied
    BEFORE TRUNCATE ON timeline_tombstone
    FOR EACH STATEMENT EXECUTE FUNCTION timeline_refuse_change_v1();
CREATE TRIGGER timeline_version_keeps_the_rest
    BEFORE UPDATE ON timeline_version
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
CREATE TRIGGER timeline_body_keeps_the_rest
    BEFORE UPDATE ON timeline_body
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
CREATE TRIGGER timeline_turn_keeps_the_rest
    BEFORE UPDATE ON timeline_turn
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
