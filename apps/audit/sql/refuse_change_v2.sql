-- History is written once and never changed. For each row of an immutable table, and
-- for a TRUNCATE of it.
--
-- Retention alone may erase: it sets stepback.retention for its own transaction. Who is
-- granted UPDATE and DELETE without owning the table is retention: the catalogue is asked,
-- because a role may be called anything. Where nobody is, there is one role, the owner,
-- and its flag counts. SET itself cannot be refused to anybody.
--
-- The search path is fixed: what the caller puts into its own must not stand for what is
-- called here.
CREATE FUNCTION audit_refuse_change_v2() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    _asking oid;
    _owner oid;
    _erasers oid[];
BEGIN
    IF TG_OP <> 'TRUNCATE'
       AND coalesce(current_setting('stepback.retention', true), '') = 'on' THEN
        _asking := (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user);
        _owner := (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID);
        _erasers := ARRAY(
            SELECT a.grantee FROM pg_class c, aclexplode(c.relacl) a
             WHERE c.oid = TG_RELID AND a.privilege_type IN ('UPDATE', 'DELETE')
               AND a.grantee <> _owner
             GROUP BY a.grantee HAVING count(DISTINCT a.privilege_type) = 2);
        IF _asking = ANY (_erasers)
           OR (cardinality(_erasers) = 0 AND _asking = _owner) THEN
            RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
        END IF;
    END IF;
    RAISE EXCEPTION '% of % is refused: history is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation', TABLE = TG_TABLE_NAME;
END;
$$;
