-- Events and records are facts: they are written once and never changed.
--
-- Retention alone may erase: it sets stepback.retention for its own transaction.
-- That stops accidents and every path of the ORM, not somebody who owns the
-- database; against those stands the chain. TRUNCATE fires no row trigger.
CREATE FUNCTION audit_refuse_change_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('stepback.retention', true) = 'on' THEN
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation',
              CONSTRAINT = TG_TABLE_NAME || '_append_only',
              TABLE = TG_TABLE_NAME;
END;
$$;

CREATE TRIGGER audit_event_append_only
BEFORE UPDATE OR DELETE ON audit_event
FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v1();

CREATE TRIGGER audit_auditrecord_append_only
BEFORE UPDATE OR DELETE ON audit_auditrecord
FOR EACH ROW EXECUTE FUNCTION audit_refuse_change_v1();
