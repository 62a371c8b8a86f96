-- Keys and triggers of approvals: what was asked and decided stays as it was.
ALTER TABLE approvals_approval
    ADD CONSTRAINT approvals_approval_session_fk FOREIGN KEY (session_id)
    REFERENCES timeline_session (id);
ALTER TABLE approvals_vote
    ADD CONSTRAINT approvals_vote_approval_fk FOREIGN KEY (session_id, approval_id)
    REFERENCES approvals_approval (session_id, id);
ALTER TABLE approvals_undecided
    ADD CONSTRAINT approvals_undecided_approval_fk
    FOREIGN KEY (session_id, approval_id)
    REFERENCES approvals_approval (session_id, id);
CREATE TRIGGER approvals_approval_is_immutable
    BEFORE UPDATE OR DELETE ON approvals_approval
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER approvals_vote_is_immutable
    BEFORE UPDATE OR DELETE ON approvals_vote
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER approvals_approval_is_not_emptied
    BEFORE TRUNCATE ON approvals_approval
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER approvals_vote_is_not_emptied
    BEFORE TRUNCATE ON approvals_vote
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
