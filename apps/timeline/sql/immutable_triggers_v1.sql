CREATE TRIGGER timeline_version_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_version
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();
CREATE TRIGGER timeline_body_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_body
    FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1();
