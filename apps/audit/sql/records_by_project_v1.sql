-- The way back: it fails, and changes nothing, where an agent's stream has records.
ALTER TABLE audit_auditrecord DROP CONSTRAINT audit_auditrecord_pkey;
ALTER TABLE audit_auditrecord
    ADD CONSTRAINT audit_auditrecord_pkey PRIMARY KEY (project_id, number);
ALTER TABLE audit_auditrecord DROP COLUMN stream_id;
CREATE INDEX audit_auditrecord_by_row ON audit_auditrecord (
    project_id, (details -> 'row' ->> 'of'),
    ((details -> 'row' ->> 'key') COLLATE "C"), number DESC)
 WHERE details ? 'row';
