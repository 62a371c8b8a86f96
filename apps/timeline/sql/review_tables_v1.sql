-- Keys, rules and triggers of reviews and scores: what was said of a session stays.
ALTER TABLE timeline_review
    ADD CONSTRAINT timeline_review_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_score
    ADD CONSTRAINT timeline_score_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE timeline_score
    ADD CONSTRAINT timeline_score_is_finite
    CHECK (value > '-Infinity' AND value < 'Infinity');
CREATE TRIGGER timeline_review_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_review
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_score_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_score
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_review_is_not_emptied
    BEFORE TRUNCATE ON timeline_review
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_score_is_not_emptied
    BEFORE TRUNCATE ON timeline_score
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
