-- The last record of each row that records cover, in the order of the rows' keys.
CREATE INDEX audit_auditrecord_by_row ON audit_auditrecord (
    stream_id, (details -> 'row' ->> 'of'),
    ((details -> 'row' ->> 'key') COLLATE "C"), number DESC)
 WHERE details ? 'row';
