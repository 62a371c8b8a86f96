-- Every record becomes one of a stream: of its project's, as its chain has always been.
-- The table is written anew as the column takes its values: no row is updated, which
-- its trigger refuses to everybody.
DROP INDEX audit_auditrecord_by_row;
ALTER TABLE audit_auditrecord DROP CONSTRAINT audit_auditrecord_pkey;
ALTER TABLE audit_auditrecord ADD COLUMN stream_id varchar(32) COLLATE "C";
ALTER TABLE audit_auditrecord ALTER COLUMN stream_id
    TYPE varchar(32) COLLATE "C" USING project_id;
ALTER TABLE audit_auditrecord ALTER COLUMN stream_id SET NOT NULL;
ALTER TABLE audit_auditrecord
    ADD CONSTRAINT audit_auditrecord_pkey PRIMARY KEY (stream_id, number);
