-- Triggers and storage of keyed documents: what was written under a key stays.
CREATE TRIGGER timeline_entry_is_immutable
    BEFORE UPDATE OR DELETE ON timeline_entry
    FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v2();
CREATE TRIGGER timeline_entry_is_not_emptied
    BEFORE TRUNCATE ON timeline_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change_v2();
-- One row a document, written with each version: leave room for heap-only updates.
ALTER TABLE timeline_tally SET (fillfactor = 50);
ALTER TABLE timeline_keyhead SET (fillfactor = 85);
