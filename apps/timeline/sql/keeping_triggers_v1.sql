-- What retention may do to history, as keeping_tables_v1 has it.
CREATE OR REPLACE TRIGGER timeline_version_keeps_the_rest
    BEFORE UPDATE ON timeline_version
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
CREATE OR REPLACE TRIGGER timeline_body_keeps_the_rest
    BEFORE UPDATE ON timeline_body
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
CREATE OR REPLACE TRIGGER timeline_turn_keeps_the_rest
    BEFORE UPDATE ON timeline_turn
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v1();
