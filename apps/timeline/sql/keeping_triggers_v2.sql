-- What retention may do to history, with sealing.
CREATE OR REPLACE TRIGGER timeline_version_keeps_the_rest
    BEFORE UPDATE ON timeline_version
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v2();
CREATE OR REPLACE TRIGGER timeline_body_keeps_the_rest
    BEFORE UPDATE ON timeline_body
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v2();
CREATE OR REPLACE TRIGGER timeline_turn_keeps_the_rest
    BEFORE UPDATE ON timeline_turn
    FOR EACH ROW EXECUTE FUNCTION timeline_keep_the_rest_v2();
